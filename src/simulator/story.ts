import type { AccountPlan } from './accounts.ts';
import { COUNTS, type SimulatedCampaign } from './campaigns.ts';
import type { Dataset, SimulatedClient } from './dataset.ts';
import { changing, type JsonObject, type Middleware } from './middleware.ts';
import { errorResponse } from './service.ts';

/** A few weeks of the service and of its users, night by night. */
export type Story = {
  /** Its subject, in half a line. */
  readonly about: string;
  readonly accounts: readonly AccountPlan[];
  /** The events of each night; most nights of a service have none. */
  readonly nights: readonly (readonly StoryEvent[])[];
};

/** A day of an account, counted back from the night: 1 is yesterday. */
type DayOf = { readonly account: string; readonly daysAgo: number };

/** From that night on, the service lists something else for a day. */
type Correction =
  | (DayOf & { readonly event: 'late correction'; readonly percent: number })
  | (DayOf & { readonly event: 'campaign added later' | 'campaign withdrawn' });

/** From that night on, an account has the campaigns of another one, on every day. */
type SameCampaigns = {
  readonly event: 'same campaigns';
  readonly account: string;
  readonly as: string;
};

/** From that night on, there are so many clients more, or less, or with another balance. */
type ClientChange = {
  readonly event: 'clients added' | 'clients removed' | 'balances spent';
  readonly account: string;
  readonly clients: number;
};

/** A fault of the service on that night alone. */
type Fault =
  | (DayOf & {
      readonly event: 'half listed' | 'campaigns missing' | 'unreadable records' | 'empty day';
    })
  | { readonly event: 'outage'; readonly hours: number }
  | {
      readonly event: 'token refused' | 'client list refused' | 'list changes during walk';
      readonly account: string;
    };

/** An event that hits Callsheet on that night. */
type Mishap =
  | { readonly event: 'no run' | 'mail server down' }
  /** The process is killed when the service gets that request of the night, counted from 1. */
  | { readonly event: 'killed'; readonly atRequest: number }
  | { readonly event: 'recipient refused'; readonly recipient: string }
  /** From that night on. */
  | { readonly event: 'setting changed'; readonly name: string; readonly value: string };

export type StoryEvent = Correction | SameCampaigns | ClientChange | Fault | Mishap;

/** The world around the service on a night. */
type Outside = {
  /** An outage lasts from the beginning of the night by this clock. */
  readonly clock: () => Temporal.Instant;
  /** Kills Callsheet. */
  readonly kill: () => void;
};

export type PlayedStory = {
  /** The service on the night of the last `startNight`. */
  readonly dataset: Dataset;
  /** Injects the faults of that night. */
  readonly intercept: Middleware;
  /** Turns to a night, counted from 0. Null for its data alone, without its faults. */
  startNight(night: number, outside: Outside | null): void;
  /** The true campaigns of a day, `YYYY-MM-DD`, as of a night. */
  campaignsOn(night: number, account: string, day: string): readonly SimulatedCampaign[];
  /** The clients that an account really has on a night. */
  clientsOn(night: number, account: string): readonly SimulatedClient[];
};

/**
 * Plays a story on top of a data set.
 *
 * @param firstNight the date of the first night, `YYYY-MM-DD`
 * @param base       has the story's accounts; what the service says where no event changes it
 */
export function playStory({ nights }: Story, firstNight: string, base: Dataset): PlayedStory {
  const first = Temporal.PlainDate.from(firstNight);
  const dayOf = (night: number, daysAgo: number) => first.add({ days: night - daysAgo }).toString();
  let tonight = 0;
  let begun: (Outside & { readonly at: Temporal.Instant }) | null = null;
  let requests = 0;

  const datedEvents = (until: number) =>
    nights.slice(0, until + 1).flatMap((events, night) => events.map((event) => ({ event, night })));

  function campaignsOn(until: number, account: string, day: string): readonly SimulatedCampaign[] {
    const date = Temporal.PlainDate.from(day);
    let campaigns: readonly SimulatedCampaign[] = base.campaigns(account, date, date);
    for (const { event, night } of datedEvents(until)) {
      if (!('account' in event) || event.account !== account) continue;
      if (event.event === 'same campaigns') campaigns = campaignsOn(until, event.as, day);
      else if ('daysAgo' in event && dayOf(night, event.daysAgo) === day)
        campaigns = correct(campaigns, event);
    }
    return campaigns;
  }

  function clientsOn(until: number, account: string): readonly SimulatedClient[] {
    let clients = base.clients(account);
    for (const { event } of datedEvents(until))
      if ('clients' in event && event.account === account) clients = change(clients, event);
    return clients;
  }

  const intercept: Middleware = async (request, next) => {
    const { account, operation, params } = request;
    if (begun === null) return undefined;
    requests += 1;
    const concerns = (event: StoryEvent) => {
      if ('account' in event && event.account !== account) return false;
      return !('daysAgo' in event) || requestedDay(params) === dayOf(tonight, event.daysAgo);
    };
    const events = (nights[tonight] ?? []).filter(concerns);
    for (const event of events) {
      if (event.event === 'killed' && event.atRequest === requests) begun.kill();
      if (event.event === 'outage' && begun.at.until(begun.clock()).total('hours') < event.hours)
        return errorResponse(503, 'The service is down.');
      if (event.event === 'token refused') return errorResponse(401, 'The sidtoken is not valid.');
      if (event.event === 'client list refused' && operation === 'getClients')
        return errorResponse(403, 'This account may not list clients.');
    }
    const isChanging = events.some(({ event }) => event === 'list changes during walk');
    const garble = changing((envelope) => events.reduce(distort, envelope));
    if (!isChanging) return await garble(request, next);
    // The list has one client less with every page, as if somebody deleted them from the first page.
    const gone = Number(params.get('page') ?? 1) - 1;
    const clients = (name: string) => request.dataset.clients(name).slice(gone);
    return await garble({ ...request, dataset: { ...request.dataset, clients } }, next);
  };

  return {
    dataset: {
      ...base,
      clients: (account) => clientsOn(tonight, account),
      campaigns: (account, from, to) =>
        from.equals(to) ? campaignsOn(tonight, account, from.toString()) : base.campaigns(account, from, to),
    },
    intercept,
    startNight(night, outside) {
      tonight = night;
      requests = 0;
      begun = outside && { ...outside, at: outside.clock() };
    },
    campaignsOn,
    clientsOn,
  };
}

/** 11-09-2026 is 2026-11-09. */
const requestedDay = (params: URLSearchParams) =>
  params.get('startdate')?.replace(/^(\d\d-\d\d)-(\d{4})$/, '$2-$1');

/** Above the ids of every data set. */
const addedLater = 50_000_000;

function correct(campaigns: readonly SimulatedCampaign[], event: StoryEvent): readonly SimulatedCampaign[] {
  const [first, ...others] = campaigns;
  if (first === undefined) return campaigns;
  if (event.event === 'late correction')
    return campaigns.map((campaign) => ({
      ...campaign,
      // Rounded down, the counts keep their bounds.
      ...Object.fromEntries(
        COUNTS.map((count) => [count, Math.floor(campaign[count] * (1 + event.percent / 100))]),
      ),
    }));
  if (event.event === 'campaign added later') {
    const earlier = campaigns.filter(({ callsetid }) => callsetid > addedLater).length;
    return [
      ...campaigns,
      {
        ...first,
        callsetid: first.callsetid + addedLater * (1 + earlier),
        campaign: `${first.campaign}, reported late`,
      },
    ];
  }
  return event.event === 'campaign withdrawn' ? others : campaigns;
}

function change(
  clients: readonly SimulatedClient[],
  { event, clients: count }: ClientChange,
): readonly SimulatedClient[] {
  if (event === 'clients removed') return clients.slice(count);
  if (event === 'balances spent')
    return clients.map((client, index) => (index < count ? { ...client, balance: '1.20' } : client));
  const last = clients.at(-1)!;
  const added = clients.slice(0, count).map((client, index) => ({
    ...client,
    clientid: last.clientid + 5 * (index + 1),
    clientname: `${client.clientname} II`,
  }));
  return [...clients, ...added];
}

function distort(envelope: JsonObject, { event }: StoryEvent): JsonObject {
  const campaigns = envelope.result as readonly object[];
  if (event === 'half listed')
    return { ...envelope, result: campaigns.slice(0, Math.ceil(campaigns.length / 2)) };
  if (event === 'unreadable records')
    return {
      ...envelope,
      result: campaigns.map((each, index) => (index % 4 === 3 ? { ...each, callsetid: null } : each)),
    };
  if (event === 'empty day') return withCampaigns(envelope, []);
  if (event === 'campaigns missing')
    return withCampaigns(envelope, campaigns.slice(0, Math.floor(campaigns.length / 3)));
  return envelope;
}

/** The counts of the envelope agree with its list. */
function withCampaigns(envelope: JsonObject, result: readonly object[]): JsonObject {
  return {
    ...envelope,
    campaigns: result.length,
    reports: result.length,
    result,
  };
}
