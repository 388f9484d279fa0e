import { figuresBetween, progressAt } from './campaign-figures.ts';
import { campaignsBetween, dayNumber, type Slot, slotsOf } from './campaign-plan.ts';
import { generateClients, type SimulatedClient } from './clients.ts';
import { drawBits } from './random.ts';

/** A caller of the service: its token yields its own clients and campaigns (service.md 5). */
export type SimulatedAccount = { readonly name: string; readonly token: string };

/** A campaign summary with its wire names (service.md 2.4); the last two are fields it doesn't show. */
export type SimulatedCampaign = {
  readonly callsetid: number;
  readonly campaign: string;
  readonly attempts: number;
  readonly busies: number;
  readonly connects: number;
  readonly liveanswers: number;
  readonly noanswers: number;
  readonly category: string;
};

/** What the simulator answers from. A test may wrap one, to change figures between two runs. */
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

type Holdings = { readonly clients: readonly SimulatedClient[]; readonly slots: readonly Slot[] };

// With a tenth of the slots in pause, these make some 40 campaigns on a weekday, beside 1,200 clients.
const SIZES = [
  { name: 'north', clients: 620, passingSlots: 17 },
  { name: 'coast', clients: 380, passingSlots: 12 },
  { name: 'valley', clients: 200, passingSlots: 8 },
];

/** An account's token: fixed for a seed, and recognisable wherever it might leak. */
function tokenOf(seed: number, accountName: string): string {
  const tail = drawBits(seed, 'token', accountName).toString(16).padStart(8, '0');
  // One token reads differently raw and URL-encoded, so that redaction has to find both.
  return accountName === 'coast' ? `demo-coast-${tail}+a/b==` : `demo-${accountName}-${tail}`;
}

function generateHoldings(seed: number): Map<string, Holdings> {
  const holdings = new Map<string, Holdings>();
  const clients = generateClients(
    seed,
    SIZES.reduce((sum, size) => sum + size.clients, 0),
  );
  let nextClient = 0;
  let nextSlot = 0;
  for (const size of SIZES) {
    const slots = slotsOf(size.name, nextSlot, size.passingSlots);
    holdings.set(size.name, { clients: clients.slice(nextClient, nextClient + size.clients), slots });
    nextClient += size.clients;
    nextSlot += slots.length;
  }
  return holdings;
}

/**
 * A believable data set, the same for a seed whenever and in whatever order it is asked. Days are those of
 * UTC's calendar, from 2000-01-01 on: a day to come has nothing, the present one grows with the hour.
 */
export function generateDataset(
  seed = 1,
  now: () => Temporal.Instant = () => Temporal.Now.instant(),
): Dataset {
  const holdings = generateHoldings(seed);
  const of = (accountName: string): Holdings => {
    const found = holdings.get(accountName);
    if (!found) throw new Error(`The data set has no account "${accountName}".`);
    return found;
  };
  return {
    accounts: SIZES.map(({ name }) => ({ name, token: tokenOf(seed, name) })),
    clients: (accountName) => of(accountName).clients,
    campaigns: (accountName, from, to) => summarize(seed, of(accountName).slots, from, to, now()),
  };
}

function summarize(
  seed: number,
  slots: readonly Slot[],
  from: Temporal.PlainDate,
  to: Temporal.PlainDate,
  moment: Temporal.Instant,
): SimulatedCampaign[] {
  const progress = progressAt(moment);
  // Nothing before 2000 nor after today: the range of a careless question stays cheap.
  const fromDay = Math.max(dayNumber(from), 0);
  const toDay = Math.min(dayNumber(to), progress.today);
  return campaignsBetween(seed, slots, fromDay, toDay)
    .map((planned) => ({
      callsetid: planned.callsetid,
      campaign: planned.name,
      ...figuresBetween(seed, planned, fromDay, toDay, progress),
      category: planned.category,
    }))
    .filter((campaign) => campaign.attempts > 0)
    .sort((a, b) => a.callsetid - b.callsetid);
}
