import { campaignsOf, dayNumber, type Figures, figuresBetween, progressAt, type Slot } from './campaigns.ts';
import { type CampaignKind, generateNames, type SimulatedClient } from './names.ts';

/** A caller of the service: its token yields its own clients and campaigns (service.md 5). */
export type SimulatedAccount = { readonly name: string; readonly token: string };

/** A campaign summary as it is sent (service.md 2.4); `noanswers` and `category` are fields it doesn't show. */
export type SimulatedCampaign = { readonly callsetid: number; readonly campaign: string } & Figures & {
    readonly category: string;
  };

/** What the simulator responds from. A test may wrap one, to change figures between two runs. */
export type Dataset = {
  readonly accounts: readonly SimulatedAccount[];
  /** All clients of the account, by id. */
  clients(accountName: string): readonly SimulatedClient[];
  /** The campaigns with attempts in the range (both days included), by id, summed over its days. */
  campaigns(
    accountName: string,
    from: Temporal.PlainDate,
    to: Temporal.PlainDate,
  ): readonly SimulatedCampaign[];
};

// With some slots in pause, these make about 40 campaigns on a weekday, beside 1,200 clients. The campaigns that never
// end have names that break careless tools, so that no weekday is without them.
const ACCOUNTS = [
  {
    name: 'north',
    clients: 620,
    slots: 17,
    allYear: [
      { name: 'Appointment reminders, all clinics', category: 'health', daysAWeek: 5 },
      { name: 'Attendance calls 🏫', category: 'school', daysAWeek: 5 },
      { name: '=REFILL("ready") pharmacy pick-up', category: 'health', daysAWeek: 7 },
      { name: 'Past-due notice "friendly"', category: 'utility', daysAWeek: 5 },
    ],
  },
  {
    name: 'coast',
    clients: 380,
    slots: 12,
    allYear: [
      { name: 'Clínica Peñasco – citas', category: 'health', daysAWeek: 6 },
      { name: 'Service due, "lube & filter"', category: 'dealership', daysAWeek: 6 },
      { name: '⚡ Outage restored', category: 'utility', daysAWeek: 7 },
    ],
  },
  {
    name: 'valley',
    clients: 200,
    slots: 8,
    allYear: [
      { name: '=1+1 Welcome calls, new members', category: 'billing', daysAWeek: 7 },
      { name: 'Cantine & bus – Val-d’Été 🚌', category: 'school', daysAWeek: 5 },
    ],
  },
];

type Holdings = {
  readonly account: SimulatedAccount;
  readonly clients: readonly SimulatedClient[];
  readonly slots: readonly Slot[];
};

/**
 * A believable data set, the same for a seed whenever and in whatever order it is read. Days are those of UTC's
 * calendar, from 2000-01-01 on: a future day has nothing, the present one grows with the hour.
 */
export function generateDataset(
  seed = 1,
  now: () => Temporal.Instant = () => Temporal.Now.instant(),
): Dataset {
  const total = ACCOUNTS.reduce((sum, { clients }) => sum + clients, 0);
  const { tokenTails, clients, campaignKinds } = generateNames(seed, ACCOUNTS.length, total);
  const holdings = holdingsOf(tokenTails, clients);
  const find = (accountName: string): Holdings => {
    const found = holdings.find(({ account }) => account.name === accountName);
    if (!found) throw new Error(`The data set has no account "${accountName}".`);
    return found;
  };
  return {
    accounts: holdings.map(({ account }) => account),
    clients: (accountName) => find(accountName).clients,
    campaigns: (accountName, from, to) =>
      summarize(seed, find(accountName).slots, campaignKinds, from, to, now()),
  };
}

function holdingsOf(tokenTails: readonly string[], clients: readonly SimulatedClient[]): Holdings[] {
  let nextClient = 0;
  let nextSlot = 0;
  return ACCOUNTS.map(({ name, clients: count, slots, allYear }, index) => {
    // One token reads differently raw and URL-encoded, so that redaction has to find both.
    const token = `demo-${name}-${tokenTails[index]}${name === 'coast' ? '+a/b==' : ''}`;
    const own = clients.slice(nextClient, nextClient + count);
    nextClient += count;
    const passing = Array.from({ length: slots }, () => ({}));
    const numbered = [...allYear.map((campaign) => ({ allYear: campaign })), ...passing].map((slot) => ({
      ...slot,
      number: nextSlot++,
    }));
    return { account: { name, token }, clients: own, slots: numbered };
  });
}

function summarize(
  seed: number,
  slots: readonly Slot[],
  kinds: readonly CampaignKind[],
  from: Temporal.PlainDate,
  to: Temporal.PlainDate,
  instant: Temporal.Instant,
): SimulatedCampaign[] {
  const progress = progressAt(instant);
  // Nothing before 2000 nor after today: the range of a careless request stays cheap.
  const fromDay = Math.max(dayNumber(from), 0);
  const toDay = Math.min(dayNumber(to), progress.today);
  return slots
    .flatMap((slot) => campaignsOf(seed, slot, kinds, fromDay, toDay))
    .map((campaign) => ({
      callsetid: campaign.callsetid,
      campaign: campaign.name,
      ...figuresBetween(seed, campaign, fromDay, toDay, progress),
      category: campaign.category,
    }))
    .filter((summary) => summary.attempts > 0)
    .sort((a, b) => a.callsetid - b.callsetid);
}
