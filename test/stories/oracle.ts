import type { SimulatedCampaign } from '../../src/simulator/campaigns.ts';
import type { PlayedStory, Story, StoryEvent } from '../../src/simulator/story.ts';

/*
 * What an analyst would expect of the tables and a manager of the mails, by the truth of a story and the design's
 * *Meaning* alone. It shares no code with the product: nights are numbers from 0, and so are days (day 3 is the date of
 * night 3); a window is a day of an account.
 */

export type Counts = {
  readonly attempts: number;
  readonly busies: number;
  readonly connects: number;
  readonly liveAnswers: number;
};

export type ExpectedRow = Counts & { readonly campaign: string; withdrawn: boolean };

export type Window = {
  /** It was loaded once. */
  loaded: boolean;
  /** Its last attempt failed. */
  failed: boolean;
  rows: Map<number, ExpectedRow>;
  /** The ids and counts of the last applied response. */
  content: string;
  /** The first and the last of the nights on which the content was the same. */
  sameSince: number;
  synced: number;
  /** It was the last night on which a run catches up on it. */
  isLastChance: boolean;
  held: { readonly content: string; readonly night: number } | null;
  /** The last applied response lacks campaigns by its own counts, or records of it couldn't be read. */
  short: boolean;
};

export type Restatement = {
  readonly account: string;
  readonly day: number;
  readonly callset: number;
  readonly reason: 'changed' | 'withdrawn' | 'returned' | 'appeared';
  /** The attempts before; null for a campaign that appeared. */
  readonly attempts: number | null;
};

/** A finished day that changed, with its sums before and after; null for a day without campaigns. */
export type RestatedDay = {
  readonly account: string;
  readonly day: number;
  readonly campaigns: number;
  readonly before: Figures;
  readonly after: Figures;
  /** How many digests had been built by then. */
  readonly digestsBuilt: number;
};

export type BuiltDigest = {
  readonly name: string;
  readonly every: Digest['every'];
  readonly first: number;
  readonly last: number;
  readonly corrects: boolean;
  readonly incomplete: boolean;
  readonly mayBeLow: boolean;
  readonly figures: Figures;
  /** The windows that were loaded when it was built: `north 3`. */
  readonly loaded: ReadonlySet<string>;
  /** The mail that it is sent with. */
  readonly mail: ExpectedMail;
};

export type Client = {
  readonly name: string;
  readonly balance: string;
  /** The first night on which a complete walk missed it. */
  missed: number | null;
  absent: boolean;
};

export type ExpectedMail = {
  /** Its file, without ending: `campaigns-2026-03-09-corrected-manager@example.com`. */
  readonly file: string;
  readonly recipient: string;
  readonly incomplete: boolean;
  /** It says that its figures may be low. */
  readonly mayBeLow: boolean;
  /** The day through which it calls its accounts complete; null if it says that they aren't yet. */
  readonly completeThrough: string | null;
  /** It says that accounts are probably counted more than once. */
  readonly countedTwice: boolean;
  /** Those of its own period. */
  readonly rows: readonly DayRow[];
  /** Earlier periods that are due, too, and corrections: its table, and further rows of its CSV. */
  readonly earlier: readonly EarlierPeriod[];
};

export type DayRow = Counts & {
  readonly account: string;
  readonly day: number;
  readonly callset: number;
};

export type EarlierPeriod = {
  readonly every: Digest['every'];
  readonly first: number;
  readonly rows: readonly DayRow[];
  readonly figures: Figures;
  /** Those that were mailed before; undefined if none were. */
  readonly before: Figures | undefined;
  readonly incomplete: boolean;
  readonly mayBeLow: boolean;
};

/** Null where no account is loaded. */
export type Figures = { readonly attempts: number; readonly connects: number } | null;

export type Digest = {
  readonly name: string;
  readonly to: string;
  readonly every: 'day' | 'week' | 'month';
  readonly accounts: readonly string[];
};

/** What the oracle can't know of a killed run: how far it came. */
export type Observed = {
  windowWasSynced(account: string, day: number): boolean;
  walkWasComplete(account: string): boolean;
  client(account: string, id: number): { readonly balance: string } | undefined;
};

export type Settings = {
  readonly lookback: number;
  readonly catchUp: number;
};

export type Oracle = ReturnType<typeof createOracle>;

/** RETRY_FOR is 3 h: its last run starts after 168 minutes. */
const lastRetryHours = 168 / 60;
const pageLimit = 100;

export function createOracle(
  story: Pick<Story, 'accounts' | 'nights'>,
  played: Pick<PlayedStory, 'campaignsOn' | 'clientsOn'>,
  digests: readonly Digest[],
  dateOf: (day: number) => string,
) {
  const { nights } = story;
  const accounts = story.accounts.map(({ name }) => name);
  const windows = new Map<string, Window>();
  const restatements: Restatement[] = [];
  const restatedDays: RestatedDay[] = [];
  const built: BuiltDigest[] = [];
  const delivered = new Set<ExpectedMail>();
  const clients = new Map(accounts.map((account) => [account, new Map<number, Client>()]));
  const balances: { account: string; client: number; night: number; balance: string }[] = [];
  const decided = new Map<string, { partial: boolean; corrected: boolean; figures: Figures }>();
  /** Of each response with two campaigns or more, whether their announced number was true. */
  const announcements = new Map(accounts.map((account) => [account, [] as boolean[]]));
  let pending: ExpectedMail[] = [];
  let since: number | null = null;

  const keyOf = (account: string, day: number) => `${account} ${day}`;
  const windowOf = (account: string, day: number) => windows.get(keyOf(account, day));

  /** An announced number is believed once it was true three times, and mostly. */
  function isBelieved(account: string): boolean {
    const last = announcements.get(account)!.slice(-20);
    const agreeing = last.filter((isTrue) => isTrue).length;
    return agreeing >= 3 && agreeing * 2 > last.length;
  }

  /** Days of an account that a run on that night syncs. */
  function due(account: string, night: number, { lookback, catchUp }: Settings): number[] {
    const days: number[] = [];
    for (let day = Math.max(since!, night - catchUp); day < night; day++) {
      const window = windowOf(account, day);
      const isOpen = window === undefined || !window.loaded || window.failed;
      const isSettled = window !== undefined && (window.synced > window.sameSince || window.isLastChance);
      const isWanted =
        day === night - 1 ||
        day >= night - lookback ||
        window?.held != null ||
        window?.short === true ||
        !isSettled;
      if (isOpen || (window.synced !== night && isWanted)) days.push(day);
    }
    return days;
  }

  function sync(
    account: string,
    day: number,
    night: number,
    events: readonly StoryEvent[],
    { catchUp }: Settings,
  ) {
    const before = windowOf(account, day);
    const window = before ?? emptyWindow();
    windows.set(keyOf(account, day), window);
    if (isRefused(events, account)) {
      window.failed = true;
      return;
    }
    const { records, unreadable, announced } = listed(
      played.campaignsOn(night, account, dateOf(day)),
      events,
      account,
      night - day,
    );
    const content = contentOf(records);
    window.failed = false;
    const current = [...window.rows].filter(([, row]) => !row.withdrawn);
    const isListed = (id: number) => records.some(({ callsetid }) => callsetid === id) || unreadable.has(id);
    const dropped = current.filter(([id]) => !isListed(id)).length;
    const isConfirmed = window.held?.content === content && window.held.night < night;
    if (dropped * 2 > current.length && !isConfirmed) {
      if (window.held?.content !== content) window.held = { content, night };
      window.synced = night;
      return;
    }
    const known = restatements.length;
    const sums = sumsOf(window);
    for (const record of records) {
      const row = {
        campaign: record.campaign,
        attempts: record.attempts,
        busies: record.busies,
        connects: record.connects,
        liveAnswers: record.liveanswers,
        withdrawn: false,
      };
      const old = window.rows.get(record.callsetid);
      const restate = (reason: Restatement['reason'], attempts: number | null) =>
        restatements.push({ account, day, callset: record.callsetid, reason, attempts });
      if (old === undefined) {
        if (window.loaded) restate('appeared', null);
      } else if (old.withdrawn) restate('returned', old.attempts);
      else if (!sameCounts(old, row)) restate('changed', old.attempts);
      window.rows.set(record.callsetid, row);
    }
    for (const [id, row] of current)
      if (!isListed(id)) {
        restatements.push({ account, day, callset: id, reason: 'withdrawn', attempts: row.attempts });
        row.withdrawn = true;
      }
    if (restatements.length > known)
      restatedDays.push({
        account,
        day,
        campaigns: restatements.length - known,
        before: sums,
        after: sumsOf(window),
        digestsBuilt: built.length,
      });
    if (!window.loaded || window.content !== content) window.sameSince = night;
    window.loaded = true;
    window.content = content;
    window.synced = night;
    window.isLastChance = day <= night - catchUp;
    window.held = null;
    const isRepeated = [...unreadable].every((id) => window.rows.get(id)?.withdrawn === false);
    const listedNow = records.length + unreadable.size;
    window.short = !isRepeated || (announced > listedNow && isBelieved(account));
    if (listedNow >= 2) announcements.get(account)!.push(announced === listedNow);
  }

  function walk(account: string, night: number, events: readonly StoryEvent[], observed: Observed | null) {
    if (isRefused(events, account) || has(events, 'client list refused', account)) return;
    const listed = played.clientsOn(night, account);
    const isChanging = has(events, 'list changes during walk', account) && listed.length > pageLimit;
    const seen = isChanging ? pagesOf(listed) : listed;
    const known = clients.get(account)!;
    for (const { clientid, clientname, balance } of seen) {
      // A killed run loaded some pages and not others.
      if (observed !== null && observed.client(account, clientid)?.balance !== balance) continue;
      const before = known.get(clientid);
      if (before?.balance !== balance) balances.push({ account, client: clientid, night, balance });
      known.set(clientid, { name: clientname, balance, missed: null, absent: false });
    }
    if (isChanging || (observed !== null && !observed.walkWasComplete(account))) return;
    const ids = new Set(listed.map(({ clientid }) => clientid));
    const missing = [...known].filter(([id, { absent }]) => !absent && !ids.has(id));
    const present = [...known.values()].filter(({ absent }) => !absent).length;
    if (missing.length * 2 > present) return;
    for (const [, client] of missing) {
      if (client.missed === null) client.missed = night;
      else if (client.missed < night) client.absent = true;
    }
  }

  /** The first day of the period that ends with a day; null if none does. */
  function beginning(every: Digest['every'], day: number): number | null {
    const date = Temporal.PlainDate.from(dateOf(day));
    if (every === 'day') return day;
    if (every === 'week') return date.dayOfWeek === 7 ? day - 6 : null;
    return date.day === date.daysInMonth ? day - date.day + 1 : null;
  }

  /** The last day, up to another, before which no day since the first lacks; null if the first does. */
  function completeThrough(account: string, last: number): number | null {
    let day = since!;
    while (day <= last && windowOf(account, day)?.loaded) day++;
    return day > since! ? day - 1 : null;
  }

  /** What a mail says of a period now. */
  function report(digest: Digest, day: number) {
    const first = beginning(digest.every, day)!;
    const days = Array.from({ length: day - first + 1 }, (_, index) => first + index);
    const own = days.flatMap((each) =>
      digest.accounts.map((account) => ({ account, day: each, window: windowOf(account, each) })),
    );
    const rows = own.flatMap(({ account, day, window }) =>
      [...(window?.rows ?? [])].flatMap(([callset, row]) =>
        row.withdrawn ? [] : [{ ...row, account, day, callset }],
      ),
    );
    return {
      every: digest.every,
      first,
      incomplete: own.some(({ window }) => !window?.loaded),
      mayBeLow: own.some(({ window }) => window?.short === true),
      rows,
      figures: own.some(({ window }) => window?.loaded) ? figuresOf(rows) : null,
      loaded: new Set(
        own.flatMap(({ account, day, window }) => (window?.loaded ? [keyOf(account, day)] : [])),
      ),
    };
  }

  /** A mail as it is frozen now, of its period and those that it brings along. */
  function build(
    digest: Digest,
    day: number,
    isCorrection: boolean,
    others: readonly number[],
  ): ExpectedMail {
    const { first, incomplete, mayBeLow, rows } = report(digest, day);
    const days = Array.from({ length: day - first + 1 }, (_, index) => first + index);
    const through = digest.accounts.map((account) => completeThrough(account, day) ?? -Infinity);
    const isComplete = !mayBeLow && Math.min(...through) > -Infinity;
    const date = dateOf(first);
    const period = { day: date, week: `${date}-week`, month: `${date.slice(0, 7)}-month` }[digest.every];
    return {
      file: `${digest.name.toLowerCase()}-${period}${isCorrection ? '-corrected' : ''}-${digest.to}`,
      recipient: digest.to,
      incomplete,
      mayBeLow,
      completeThrough: isComplete ? dateOf(Math.min(...through)) : null,
      countedTwice: days.some((each) => {
        const contents = digest.accounts.map((account) => windowOf(account, each)?.content).filter(Boolean);
        return new Set(contents).size < contents.length;
      }),
      rows,
      earlier: others.map((other) => ({
        ...report(digest, other),
        before: decided.get(keyOf(digest.name, other))?.figures,
      })),
    };
  }

  /** The digests that a run builds after its attempts, and then those that it delivers. */
  function mail(
    night: number,
    events: readonly StoryEvent[],
    attempted: ReadonlySet<string>,
    settings: Settings,
  ) {
    const earliest = night - settings.catchUp;
    for (const digest of digests) {
      const isLoaded = (account: string, day: number) => windowOf(account, day)?.loaded ?? false;
      const isReady = (from: number, to: number) => {
        for (let day = Math.max(from, earliest); day <= to; day++)
          if (!digest.accounts.every((name) => isLoaded(name, day) || attempted.has(keyOf(name, day))))
            return false;
        return true;
      };
      const open: number[] = [];
      const corrections: number[] = [];
      for (let day = since!; day < night; day++) {
        const from = beginning(digest.every, day);
        if (from === null || from < since!) continue;
        const before = decided.get(keyOf(digest.name, day));
        if (before === undefined && day >= earliest && isReady(from, day)) open.push(day);
        if (!before?.partial || before.corrected) continue;
        const now = report(digest, day);
        if (!now.incomplete && !now.mayBeLow) corrections.push(day);
      }
      // One mail: the newest that is due, else the newest correction; the others are sent with it.
      const newest = open.at(-1) ?? corrections.at(-1);
      if (newest === undefined) continue;
      const others = [...open, ...corrections].filter((day) => day !== newest).sort((one, two) => one - two);
      const mail = build(digest, newest, open.length === 0, others);
      pending.push(mail);
      for (const day of [...open, ...corrections]) {
        const { incomplete, mayBeLow, figures, first, loaded } = report(digest, day);
        const corrected = corrections.includes(day);
        built.push({
          name: digest.name,
          every: digest.every,
          first,
          last: day,
          corrects: corrected,
          incomplete,
          mayBeLow,
          figures,
          loaded,
          mail,
        });
        decided.set(keyOf(digest.name, day), { partial: incomplete || mayBeLow, corrected, figures });
      }
    }
    if (has(events, 'mail server down')) return [];
    const sent = pending;
    pending = [];
    const refused = events.flatMap((event) => (event.event === 'recipient refused' ? [event.recipient] : []));
    const arrived = sent.filter(({ recipient }) => !refused.includes(recipient));
    for (const each of arrived) delivered.add(each);
    return arrived;
  }

  return {
    windowOf,
    completeThrough,
    restatements,
    restatedDays,
    built,
    /** A digest that was built before the change and arrived has the day. */
    wasMailed: ({ account, day, digestsBuilt }: RestatedDay) =>
      built
        .slice(0, digestsBuilt)
        .some(({ loaded, mail }) => loaded.has(keyOf(account, day)) && delivered.has(mail)),
    hasArrived: (mail: ExpectedMail) => delivered.has(mail),
    clients,
    balances,
    /** The first expected day; null before the first run. */
    since: () => since,
    /** Backfills these days: no walk, no mail. */
    backfill(night: number, from: number, to: number, settings: Settings) {
      for (const account of accounts)
        for (let day = from; day <= to; day++) {
          if (windowOf(account, day)?.loaded) continue;
          sync(account, day, night, nights[night] ?? [], settings);
        }
      // Nobody is mailed about history; yesterday, and a week or month that isn't over, are none.
      for (const { name, every } of digests)
        for (let day = from; day < night - 1; day++)
          if (beginning(every, day) !== null && !decided.has(keyOf(name, day)))
            decided.set(keyOf(name, day), { partial: false, corrected: false, figures: null });
      since = Math.min(since ?? from, from);
    },
    /** Lives through a night that wasn't killed, and returns the mails that arrive on it. */
    live(night: number, settings: Settings): readonly ExpectedMail[] {
      const events = nights[night] ?? [];
      if (has(events, 'no run')) return [];
      since ??= night - 1;
      const attempted = new Set<string>();
      for (const account of accounts) {
        walk(account, night, events, null);
        for (const day of due(account, night, settings)) {
          attempted.add(keyOf(account, day));
          sync(account, day, night, events, settings);
        }
      }
      return mail(night, events, attempted, settings);
    },
    /** The same for a killed one, which synced what was observed, and mailed nothing. */
    liveKilled(night: number, settings: Settings, observed: Observed): void {
      const events = nights[night] ?? [];
      since ??= night - 1;
      for (const account of accounts) {
        walk(account, night, events, observed);
        for (const day of due(account, night, settings))
          if (observed.windowWasSynced(account, day)) sync(account, day, night, events, settings);
      }
    },
  };
}

const figuresOf = (rows: readonly Counts[]) => ({
  attempts: rows.reduce((sum, row) => sum + row.attempts, 0),
  connects: rows.reduce((sum, row) => sum + row.connects, 0),
});

function sumsOf({ rows }: Window): Figures {
  const current = [...rows.values()].filter(({ withdrawn }) => !withdrawn);
  return current.length === 0 ? null : figuresOf(current);
}

const emptyWindow = (): Window => ({
  loaded: false,
  failed: false,
  rows: new Map(),
  content: '',
  sameSince: -1,
  synced: -1,
  isLastChance: false,
  held: null,
  short: false,
});

const has = (events: readonly StoryEvent[], name: StoryEvent['event'], account?: string) =>
  events.some(
    (event) =>
      event.event === name && (account === undefined || ('account' in event && event.account === account)),
  );

function isRefused(events: readonly StoryEvent[], account: string): boolean {
  const isDown = events.some((event) => event.event === 'outage' && event.hours > lastRetryHours);
  return isDown || has(events, 'token refused', account);
}

/** What a response lists of the truth, and the ids of its unreadable records. */
function listed(
  truth: readonly SimulatedCampaign[],
  events: readonly StoryEvent[],
  account: string,
  daysAgo: number,
): {
  readonly records: readonly SimulatedCampaign[];
  readonly unreadable: ReadonlySet<number>;
  readonly announced: number;
} {
  let records = truth;
  let announced = truth.length;
  let unreadable = new Set<number>();
  for (const event of events) {
    if (!('daysAgo' in event) || event.account !== account || event.daysAgo !== daysAgo) continue;
    if (event.event === 'empty day') {
      records = [];
      announced = 0;
    }
    if (event.event === 'half listed') records = records.slice(0, Math.ceil(records.length / 2));
    if (event.event === 'campaigns missing') {
      records = records.slice(0, Math.floor(records.length / 3));
      announced = records.length;
    }
    if (event.event === 'unreadable records')
      unreadable = new Set(records.filter((_, index) => index % 4 === 3).map(({ callsetid }) => callsetid));
  }
  return { records: records.filter(({ callsetid }) => !unreadable.has(callsetid)), unreadable, announced };
}

const contentOf = (records: readonly SimulatedCampaign[]) =>
  records
    .map(({ callsetid, attempts, busies, connects, liveanswers }) =>
      [callsetid, attempts, busies, connects, liveanswers].join(),
    )
    .sort()
    .join(' ');

const sameCounts = (one: Counts, other: Counts) =>
  one.attempts === other.attempts &&
  one.busies === other.busies &&
  one.connects === other.connects &&
  one.liveAnswers === other.liveAnswers;

/** The clients on the pages of a walk, if with every page one more is deleted from the first. */
function pagesOf<Listed>(clients: readonly Listed[]): Listed[] {
  const pages = Math.ceil(clients.length / pageLimit);
  return Array.from({ length: pages }, (_, page) =>
    clients.slice(page).slice(page * pageLimit, (page + 1) * pageLimit),
  ).flat();
}
