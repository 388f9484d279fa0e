import { hash } from 'node:crypto';
import type { SimulatedCampaign } from '../../src/simulator/campaigns.ts';
import type { PlayedStory, Story, StoryEvent } from '../../src/simulator/story.ts';
import { type AccountState, type EarlierPeriod, expectedMail, type Facts } from './expected-mail.ts';
import {
  type CountName,
  type Counts,
  countNames,
  daysOf,
  type Every,
  type Period,
  type Row,
  reportedOf,
  sumOf,
} from './figures.ts';
import {
  type AccountWindows,
  acknowledge,
  contentOf,
  hasCalls,
  judge,
  listedIn,
  markSame,
  silentOf,
} from './judge.ts';
import { newsOf, type Past } from './news.ts';
import type { Part } from './read-mail.ts';
import {
  currentOf,
  daysIn,
  type ExpectedRow,
  emptyWindow,
  keyOf,
  unknownOf,
  type Window,
} from './windows.ts';

/*
 * What an analyst would expect of the tables and a manager of the mails, by the truth of a story and the design's
 * *Meaning* alone. It shares no code with the product: nights are numbers from 0, and so are days (day 3 is the date of
 * night 3); a window is a day of an account.
 */

export type Restatement = {
  readonly account: string;
  readonly day: number;
  readonly callset: number;
  readonly reason: 'changed' | 'withdrawn' | 'returned' | 'appeared';
  /** The row before; null for a campaign that appeared. */
  readonly before: ExpectedRow | null;
  readonly at: number;
};

/** A finished day that changed, with its sums before; null for a day without campaigns. */
export type RestatedDay = {
  readonly night: number;
  readonly account: string;
  readonly day: number;
  readonly campaigns: number;
  readonly before: Figures;
  /** When it changed, and when it had changed before. */
  readonly at: number;
  readonly last: number;
};

/** A mail of a digest, and what it tells of each account in each period. */
export type BuiltMail = {
  readonly name: string;
  readonly every: Every;
  readonly mail: ExpectedMail;
  readonly at: number;
  readonly isCorrection: boolean;
  /** That in full is the last. */
  readonly periods: readonly { readonly period: Period; readonly accounts: readonly AccountState[] }[];
};

export type Client = {
  readonly name: string;
  readonly balance: string;
  /** The first night on which a complete walk missed it. */
  missed: number | null;
  readonly firstSeen: number;
  /** When it was recorded as absent; null if it is listed. */
  absentAt: number | null;
};

export type ExpectedMail = {
  /** Its file, without ending: `campaigns-2026-03-09-corrected-manager@example.com`. */
  readonly file: string;
  readonly recipient: string;
  readonly says: readonly Part[];
  /** The rows of its CSV: those of its own period after those of earlier periods and corrections. */
  readonly rows: readonly (Row & { readonly status: 'loaded' | 'provisional' | 'restated' })[];
};

/** Null where no account is loaded. */
export type Figures = { readonly attempts: number | null; readonly connects: number | null } | null;

export type Digest = {
  readonly name: string;
  readonly to: string;
  readonly every: Every;
  readonly accounts: readonly string[];
  /** Lower balances of clients are counted. */
  readonly low_balance?: number;
};

/** What the oracle can't know of a killed run: how far it came. */
export type Observed = {
  windowWasSynced(account: string, day: number): boolean;
  walkWasComplete(account: string): boolean;
  client(account: string, id: number): { readonly balance: string } | undefined;
};

export type Settings = {
  /** The accounts that the settings name that night. */
  readonly accounts: readonly string[];
  readonly lookback: number;
  readonly catchUp: number;
};

/** The count that the service never reports of a campaign; undefined if it reports all. */
export type Silence = (account: string, campaign: string) => CountName | undefined;

export type Oracle = ReturnType<typeof createOracle>;

/** RETRY_FOR is 3 h: its last run starts after 168 minutes. */
const lastRetryHours = 168 / 60;
const pageLimit = 100;

export function createOracle(
  story: Pick<Story, 'accounts' | 'nights'>,
  played: Pick<PlayedStory, 'campaignsOn' | 'clientsOn'>,
  digests: readonly Digest[],
  dateOf: (day: number) => string,
  silence: Silence = () => undefined,
) {
  const { nights } = story;
  const everyAccount = story.accounts.map(({ name }) => name);
  /** Those that the settings named when somebody last did something. */
  let accounts: readonly string[] = [];
  const windows = new Map<string, Window>();
  const restatements: Restatement[] = [];
  const restatedDays: RestatedDay[] = [];
  let built: BuiltMail[] = [];
  const delivered = new Set<ExpectedMail>();
  const clients = new Map(everyAccount.map((account) => [account, new Map<number, Client>()]));
  const balances: { account: string; client: number; night: number; balance: string }[] = [];
  /** Counts what happens, one thing after another. */
  let now = 0;
  /** Periods that nobody is mailed about, and contents of accounts in a period that are no news. */
  const skipped = new Set<string>();
  let pending: ExpectedMail[] = [];
  /** First expected days. */
  const since = new Map<string, number>();
  /** The last days before the digests begin, by name. */
  const starts = new Map<string, number>();

  const windowOf = (account: string, day: number) => windows.get(keyOf(account, day));

  const windowsOf = (account: string): AccountWindows =>
    new Map(
      [...windows].flatMap(([key, window]) => {
        const [name, day] = key.split(' ') as [string, string];
        return name === account ? [[Number(day), window]] : [];
      }),
    );

  /** Days of an account that a run on that night syncs. */
  function due(account: string, night: number, { lookback, catchUp }: Settings): number[] {
    const days: number[] = [];
    const isWeekly =
      Temporal.PlainDate.from(dateOf(night)).dayOfWeek === (hash('sha256', account, 'buffer')[0]! % 7) + 1;
    for (let day = Math.max(since.get(account)!, night - catchUp); day < night; day++) {
      const window = windowOf(account, day);
      const isOpen = window === undefined || !window.loaded || window.failed;
      const isWanted =
        day === night - 1 ||
        day >= night - lookback ||
        isWeekly ||
        window?.held != null ||
        window === undefined ||
        !window.settled;
      if (isOpen || (window.synced !== night && isWanted)) days.push(day);
    }
    return days;
  }

  function sync(
    account: string,
    day: number,
    night: number,
    events: readonly StoryEvent[],
    { catchUp, lookback }: Settings,
  ) {
    const before = windowOf(account, day);
    const window = before ?? emptyWindow();
    windows.set(keyOf(account, day), window);
    now++;
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
    const counts = new Map(
      records.map((record) => [record.callsetid, countsOf(record, silence(account, record.campaign))]),
    );
    const content = contentOf(counts);
    const response = { counts, unreadable, announced };
    const { verdict, anomalies, loss } = judge(
      windowsOf(account),
      { day, night, isOld: day < night - lookback },
      window,
      response,
    );
    window.failed = false;
    window.synced = night;
    if (verdict === 'hold' || verdict === 'leave out') {
      const at = window.held?.content === content ? window.held.at : now;
      window.held = verdict === 'hold' ? { content, at, anomalies, loss } : null;
      return;
    }
    window.answers.push({
      night,
      confirmed: verdict === 'confirm',
      anomalies,
      rows: listedIn(response),
      hasCalls: hasCalls(counts),
      silent: silentOf(counts),
    });
    const wasConfirmed = window.confirmed;
    const current = currentOf(window);
    const isListed = (id: number) => counts.has(id) || unreadable.has(id);
    const restated = restatements.length;
    const sums = sumsOf(window);
    const rows = new Map(window.rows);
    for (const record of records) {
      const row = { ...counts.get(record.callsetid)!, campaign: record.campaign, withdrawn: false };
      const old = rows.get(record.callsetid);
      const restate = (reason: Restatement['reason'], before: ExpectedRow | null) => {
        if (wasConfirmed)
          restatements.push({ account, day, callset: record.callsetid, reason, before, at: now });
      };
      if (old === undefined) restate('appeared', null);
      else if (old.withdrawn) restate('returned', null);
      else if (!sameCounts(old, row)) restate('changed', old);
      rows.set(record.callsetid, row);
    }
    for (const [id, row] of current)
      if (!isListed(id)) {
        if (wasConfirmed)
          restatements.push({
            account,
            day,
            callset: id,
            reason: 'withdrawn',
            before: row,
            at: now,
          });
        rows.set(id, { ...row, withdrawn: true });
      }
    window.rows = rows;
    if (restatements.length > restated)
      restatedDays.push({
        night,
        account,
        day,
        campaigns: restatements.length - restated,
        before: sums,
        at: now,
        last: restatedDays.findLast((each) => each.account === account && each.day === day)?.at ?? 0,
      });
    if (!window.loaded || window.content !== content) window.sameSince = night;
    window.loaded = true;
    window.confirmed = verdict === 'confirm';
    window.settled = window.confirmed && (window.sameSince < night || day <= night - catchUp);
    window.content = content;
    window.anomalies = anomalies;
    window.held = null;
  }

  /** What a run says of days once it has all of them. */
  function review(night: number, synced: readonly number[], { catchUp }: Settings) {
    if (synced.length === 0) return;
    const lastChance = night - catchUp;
    for (let day = Math.min(...synced); day <= Math.max(...synced); day++) {
      const ofDay = accounts.flatMap((account) => windowOf(account, day) ?? []);
      markSame(
        ofDay.filter(({ loaded }) => loaded),
        night,
        day <= lastChance,
      );
    }
    for (const account of accounts) acknowledge(windowsOf(account), night, lastChance);
  }

  function walk(account: string, night: number, events: readonly StoryEvent[], observed: Observed | null) {
    if (isRefused(events, account) || has(events, 'client list refused', account)) return;
    const listed = played.clientsOn(night, account);
    const isChanging = has(events, 'list changes during walk', account) && listed.length > pageLimit;
    const seen = isChanging ? pagesOf(listed) : listed;
    const known = clients.get(account)!;
    now++;
    for (const { clientid, clientname, balance } of seen) {
      // A killed run loaded some pages and not others.
      if (observed !== null && observed.client(account, clientid)?.balance !== balance) continue;
      const before = known.get(clientid);
      if (before?.balance !== balance) balances.push({ account, client: clientid, night, balance });
      const firstSeen = known.get(clientid)?.firstSeen ?? now;
      known.set(clientid, { name: clientname, balance, missed: null, firstSeen, absentAt: null });
    }
    if (isChanging || (observed !== null && !observed.walkWasComplete(account))) return;
    const ids = new Set(listed.map(({ clientid }) => clientid));
    const missing = [...known].filter(([id, { absentAt }]) => absentAt === null && !ids.has(id));
    const present = [...known.values()].filter(({ absentAt }) => absentAt === null).length;
    if (missing.length * 2 > present) return;
    for (const [, client] of missing) {
      if (client.missed === null) client.missed = night;
      else if (client.missed < night) client.absentAt = now;
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
    const first = since.get(account)!;
    let day = first;
    while (day <= last && windowOf(account, day)?.confirmed) day++;
    return day > first ? day - 1 : null;
  }

  const days = daysIn(windows, dateOf);
  const isDelivered = ({ mail }: BuiltMail) => delivered.has(mail);
  /** What nobody got told nothing. */
  const past = (): Past => ({
    windows,
    built: built.filter(isDelivered),
    clients,
    since: (account) => since.get(account)!,
  });
  const builtOf = ({ name, every }: Digest) =>
    built.filter((each) => each.name === name && each.every === every);

  /** What a mail told of an account in a period that ends on a day. */
  const toldOf = (some: readonly BuiltMail[], last: number, account: string) =>
    some
      .flatMap(({ periods }) => periods)
      .findLast(
        ({ period, accounts }) => period.last === last && accounts.some((each) => each.account === account),
      )
      ?.accounts.find((each) => each.account === account);

  /** The accounts of a digest that are part of a period: from their first expected days on. */
  const partOf = (digest: Digest, last: number) =>
    digest.accounts.filter((account) => since.get(account)! <= last);

  /** What a mail says of a period now. */
  function report(digest: Digest, last: number) {
    const period: Period = { every: digest.every, first: beginning(digest.every, last)!, last };
    const accounts = partOf(digest, last).map((account): AccountState => {
      const own = daysOf({ first: Math.max(period.first, since.get(account)!), last }).map((day) => ({
        day,
        window: windowOf(account, day),
      }));
      return {
        account,
        rows: days.rowsOf(account, period),
        content: own.map(({ window }) => (window?.loaded ? window.content : '?')).join('/'),
        hasFigures: own.some(({ window }) => window?.loaded),
        lacking: own.filter(({ window }) => !window?.loaded).map(({ day }) => day),
        provisional: own.flatMap(({ day, window }) =>
          window?.loaded && !window.confirmed ? [{ day, anomalies: unknownOf(window.anomalies) }] : [],
        ),
        usual: own.flatMap(({ window }) =>
          window?.confirmed ? window.anomalies.filter(({ known }) => known) : [],
        ),
      };
    });
    return { period, accounts };
  }

  /** A mail as it is frozen now: its period, and those in its table, with what was mailed of them. */
  function build(digest: Digest, last: number, others: readonly number[]): ExpectedMail {
    now++;
    const mailed = (day: number) => {
      const some = digest.accounts.flatMap(
        (account) => toldOf(builtOf(digest).filter(isDelivered), day, account) ?? [],
      );
      return some.length === 0 ? undefined : some;
    };
    const { period, accounts } = report(digest, last);
    const through = Math.min(...accounts.map(({ account }) => completeThrough(account, last) ?? -Infinity));
    const before = mailed(last);
    const earlier = others.map((other): EarlierPeriod => {
      const before = mailed(other);
      const { period, accounts } = report(digest, other);
      // Of accounts that joined since it was mailed, there are no news.
      const isTold = ({ account }: AccountState) =>
        before === undefined || before.some((each) => each.account === account);
      return { period, accounts: accounts.filter(isTold), before };
    });
    const facts: Facts = {
      name: digest.name,
      days: daysIn(new Map([...windows].map(([key, window]) => [key, { ...window }])), dateOf),
      since: (account) => since.get(account)!,
      period,
      accounts,
      before,
      earlier,
      news: newsOf(past(), digest, period),
      completeThrough: through === -Infinity ? null : through,
    };
    const date = dateOf(period.first);
    const name = { day: date, week: `${date}-week`, month: `${date.slice(0, 7)}-month` }[digest.every];
    const times = builtOf(digest).filter(
      (each) => isDelivered(each) && each.periods.some((told) => told.period.last === last),
    ).length;
    const correction = before === undefined ? '' : `-corrected${times === 1 ? '' : `-${times}`}`;
    const mail: ExpectedMail = {
      file: `${digest.name.toLowerCase()}-${name}${correction}-${digest.to}`,
      recipient: digest.to,
      says: expectedMail(facts),
      rows: [
        ...earlier.filter((each) => each.before === undefined || !each.before.every(isWhole)),
        { accounts },
      ]
        .flatMap((each) => each.accounts.flatMap(({ rows }) => rows))
        .map((row) => ({ ...row, status: statusOf(row) })),
    };
    // It tells what nobody got: that is not sent any more.
    const replaced = builtOf(digest).filter((each) => !isDelivered(each));
    built = built.filter((each) => !replaced.includes(each));
    pending = pending.filter((each) => !replaced.some((other) => other.mail === each));
    const { name: ofDigest, every } = digest;
    built.push({
      name: ofDigest,
      every,
      mail,
      at: now,
      isCorrection: before !== undefined,
      periods: [...earlier, { period, accounts }],
    });
    pending.push(mail);
    return mail;
  }

  function statusOf({ account, day, callset }: Row) {
    if (!windowOf(account, day)!.confirmed) return 'provisional';
    const isOf = (each: Restatement) =>
      each.account === account && each.day === day && each.callset === callset;
    return restatements.some(isOf) ? 'restated' : 'loaded';
  }

  /** The digests that a run builds after its attempts, and then those that it delivers. */
  function mail(
    night: number,
    events: readonly StoryEvent[],
    attempted: ReadonlySet<string>,
    settings: Settings,
  ) {
    const own = digestsOfSettings();
    const earlier = deliver(events, own);
    for (const digest of own) {
      const { due, news } = openOf(digest, night, attempted, settings);
      const quiet = due.filter((day) => isQuiet(digest, day));
      const hasReason = [
        ...(quiet.length < 7 ? due.filter((day) => !quiet.includes(day)) : due),
        ...news,
      ].filter((day) => isReason(digest, day));
      if (hasReason.length === 0) continue;
      const shown = due.at(-1) ?? Math.max(...hasReason);
      const others = [...due, ...news].filter((day) => day !== shown).sort((one, two) => one - two);
      build(digest, shown, others);
    }
    return [...earlier, ...deliver(events, own)];
  }

  /** The periods, by their last days, that nobody was mailed about, and those of which something else is true by now. */
  function openOf(
    digest: Digest,
    night: number,
    attempted: ReadonlySet<string>,
    { catchUp }: Settings,
  ): { readonly due: readonly number[]; readonly news: readonly number[] } {
    const earliest = night - catchUp;
    const isReady = (from: number, to: number) =>
      partOf(digest, to).every((name) =>
        daysOf({ first: Math.max(from, earliest, since.get(name)!), last: to }).every(
          (day) => windowOf(name, day)?.loaded || attempted.has(keyOf(name, day)),
        ),
      );
    const told = builtOf(digest).filter(isDelivered);
    const due: number[] = [];
    const news: number[] = [];
    for (let day = Math.min(...since.values()); day < night; day++) {
      const from = beginning(digest.every, day);
      if (from === null) continue;
      const isMailed = told.some(({ periods }) => periods.some(({ period }) => period.last === day));
      if (isMailed && isChanged(digest, day, told)) news.push(day);
      if (isMailed || skipped.has(keyOf(digest.name, day))) continue;
      const isFull = digest.accounts.some((name) => since.get(name)! <= from);
      if (isFull && day > starts.get(digest.name)! && day >= earliest && isReady(from, day)) due.push(day);
    }
    return { due, news };
  }

  const isChanged = (digest: Digest, last: number, told: readonly BuiltMail[]) =>
    report(digest, last).accounts.some(({ account, content }) => {
      const mailed = toldOf(told, last, account);
      if (mailed === undefined || mailed.content === content) return false;
      return !skipped.has(`${keyOf(digest.name, last)} ${account} ${content}`);
    });

  /** It was never built; or it is confirmed by now, and was built in part, or moved by a tenth and by twenty. */
  function isReason(digest: Digest, last: number): boolean {
    const all = builtOf(digest);
    const pairs = report(digest, last).accounts.flatMap((now) => {
      const before = toldOf(all, last, now.account);
      return before === undefined ? [] : [{ before, now }];
    });
    if (pairs.length === 0) return true;
    if (!isChanged(digest, last, all) || !pairs.every(({ now }) => isWhole(now))) return false;
    if (!pairs.every(({ before }) => isWhole(before))) return true;
    return (['attempts', 'connects'] as const).some((name) => {
      const sum = (side: 'before' | 'now') =>
        pairs.reduce((all, each) => all + (sumOf(each[side].rows, name) ?? 0), 0);
      const moved = Math.abs(sum('now') - sum('before'));
      return moved >= 20 && moved * 10 >= sum('before');
    });
  }

  /** A confirmed day without calls, whose weekday had none two weeks in a row, and that isn't the first to be mailed. */
  function isQuiet(digest: Digest, day: number): boolean {
    if (digest.every !== 'day' || !builtOf(digest).some(isDelivered)) return false;
    const isSilent = (account: string, on: number) =>
      windowOf(account, on)?.confirmed === true &&
      sumOf(days.rowsOf(account, { first: on, last: on }), 'attempts') === 0;
    const hasCampaigns = (account: string) =>
      [...windows].some(
        ([key, { rows }]) =>
          key.startsWith(`${account} `) && [...rows.values()].some(({ withdrawn }) => !withdrawn),
      );
    return partOf(digest, day).every(
      (account) => hasCampaigns(account) && [day, day - 7, day - 14].every((on) => isSilent(account, on)),
    );
  }

  /** Those with an account of the settings. */
  const digestsOfSettings = (): Digest[] =>
    digests
      .map((digest) => ({ ...digest, accounts: digest.accounts.filter((name) => accounts.includes(name)) }))
      .filter((digest) => digest.accounts.length > 0);

  /** A run begins: of its accounts, new ones are expected from yesterday on, if no backfill went further. */
  function begin(night: number) {
    for (const account of accounts) if (!since.has(account)) since.set(account, night - 1);
    beginDigests(night);
  }

  /** A run begins, or a backfill: new digests begin with the first period that ends after it. */
  function beginDigests(night: number) {
    for (const { name, every } of digestsOfSettings()) {
      if (starts.has(name)) continue;
      let start = night - 2;
      while (beginning(every, start) === null) start--;
      starts.set(name, start);
    }
  }

  /** Tries what is pending of these digests; returns what arrives. */
  function deliver(events: readonly StoryEvent[], own: readonly Digest[]): ExpectedMail[] {
    if (has(events, 'mail server down')) return [];
    const isOwn = (mail: ExpectedMail) =>
      built.some((each) => each.mail === mail && own.some(({ name }) => name === each.name));
    const sent = pending.filter(isOwn);
    pending = pending.filter((mail) => !sent.includes(mail));
    const refused = events.flatMap((event) => (event.event === 'recipient refused' ? [event.recipient] : []));
    const arrived = sent.filter(({ recipient }) => !refused.includes(recipient));
    for (const each of arrived) delivered.add(each);
    return arrived;
  }

  return {
    days,
    windowOf,
    completeThrough,
    restatements,
    /** With the sums since then: a day that isn't confirmed changes in place. */
    restatedDays: () =>
      restatedDays.map((each, index) => {
        const isSame = ({ account, day }: RestatedDay) => account === each.account && day === each.day;
        const next = restatedDays.slice(index + 1).find(isSame);
        return { ...each, after: next ? next.before : sumsOf(windowOf(each.account, each.day)!) };
      }),
    built: () => built,
    /** A mail that arrived had the figures before: it was built since the day last changed. */
    wasMailed: ({ account, day, at, last }: RestatedDay) =>
      built.some(
        (each) =>
          isDelivered(each) &&
          each.at < at &&
          each.at > last &&
          each.periods.some(
            ({ period, accounts }) =>
              period.first <= day &&
              day <= period.last &&
              accounts.some((own) => own.account === account && own.hasFigures && !own.lacking.includes(day)),
          ),
      ),
    hasArrived: (mail: ExpectedMail) => delivered.has(mail),
    clients,
    balances,
    /** The first expected day of an account; undefined before its first run. */
    since: (account: string) => since.get(account),
    isOfSettings: (account: string) => accounts.includes(account),
    /** Backfills these days: no walk, no mail. Before the first night, nothing is wrong yet. */
    backfill(night: number, from: number, to: number, settings: Settings, events = nights[night] ?? []) {
      ({ accounts } = settings);
      beginDigests(night);
      const own = digestsOfSettings();
      const synced: number[] = [];
      const contents = () =>
        new Map(
          own.flatMap((digest) =>
            Array.from({ length: night - from }, (_, ago) => from + ago)
              .filter((day) => beginning(digest.every, day) !== null)
              .flatMap((day) =>
                report(digest, day).accounts.map(
                  ({ account, content }) => [`${keyOf(digest.name, day)} ${account}`, content] as const,
                ),
              ),
          ),
        );
      const before = contents();
      for (const account of accounts)
        for (let day = from; day <= to; day++) {
          const window = windowOf(account, day);
          if (window?.confirmed && window.held === null) continue;
          sync(account, day, night, events, settings);
          synced.push(day);
        }
      review(night, synced, settings);
      // Nobody is mailed about history; yesterday, and a week or month that isn't over, are none. What was mailed in part is
      // corrected, whoever loads it.
      for (const account of accounts) since.set(account, Math.min(since.get(account) ?? from, from));
      for (const digest of own) {
        const all = builtOf(digest);
        for (let day = from; day < night - 1; day++)
          if (beginning(digest.every, day) !== null && !all.some((each) => tells(each, day)))
            skipped.add(keyOf(digest.name, day));
        for (let day = from; day < night; day++) {
          const { accounts } = beginning(digest.every, day) === null ? { accounts: [] } : report(digest, day);
          const told = accounts.flatMap(({ account }) => toldOf(all.filter(isDelivered), day, account) ?? []);
          if (told.length > 0 && told.every(isWhole))
            // Only what the backfill changed: what a run changed is news.
            for (const { account, content } of accounts)
              if (before.get(`${keyOf(digest.name, day)} ${account}`) !== content)
                skipped.add(`${keyOf(digest.name, day)} ${account} ${content}`);
        }
      }
    },
    /** Loads again what is known of these days, and reviews them: another account may have left meanwhile. */
    replay(night: number, from: number, settings: Settings) {
      ({ accounts } = settings);
      review(
        night,
        Array.from({ length: night - from }, (_, index) => from + index),
        settings,
      );
    },
    /** Lives through a night that wasn't killed, and returns the mails that arrive on it. */
    live(night: number, settings: Settings): readonly ExpectedMail[] {
      const events = nights[night] ?? [];
      if (has(events, 'no run')) return [];
      ({ accounts } = settings);
      begin(night);
      const attempted = new Set<string>();
      const synced: number[] = [];
      for (const account of accounts) {
        walk(account, night, events, null);
        for (const day of due(account, night, settings)) {
          attempted.add(keyOf(account, day));
          sync(account, day, night, events, settings);
          synced.push(day);
        }
      }
      review(night, synced, settings);
      // The first run mails what is complete; what lacks a refused account comes with the last of its retries.
      const complete = [...attempted].filter((key) => !windows.get(key)!.failed);
      const first = accounts.some((account) => has(events, 'token refused', account))
        ? mail(night, events, new Set(complete), settings)
        : [];
      return [...first, ...mail(night, events, attempted, settings)];
    },
    /** The same for a killed one, which synced what was observed, and mailed nothing. */
    liveKilled(night: number, settings: Settings, observed: Observed): void {
      const events = nights[night] ?? [];
      ({ accounts } = settings);
      begin(night);
      for (const account of accounts) {
        walk(account, night, events, observed);
        for (const day of due(account, night, settings))
          if (observed.windowWasSynced(account, day)) sync(account, day, night, events, settings);
      }
    },
  };
}

const tells = ({ periods }: BuiltMail, last: number) => periods.some(({ period }) => period.last === last);

const isWhole = ({ hasFigures, lacking, provisional }: AccountState) =>
  hasFigures && lacking.length === 0 && provisional.length === 0;

const figuresOf = (rows: readonly Counts[]) => ({
  attempts: reportedOf(rows, 'attempts'),
  connects: reportedOf(rows, 'connects'),
});

const sumsOf = (window: Window): Figures => figuresOf(currentOf(window).map(([, row]) => row));

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
  return {
    records: records.filter(({ callsetid }) => !unreadable.has(callsetid)),
    // A later event of the same day may leave them out.
    unreadable: new Set(records.flatMap(({ callsetid }) => (unreadable.has(callsetid) ? callsetid : []))),
    announced,
  };
}

const countsOf = (record: SimulatedCampaign, silent: CountName | undefined): Counts => {
  const { attempts, busies, connects, liveanswers: liveAnswers } = record;
  return { attempts, busies, connects, liveAnswers, ...(silent && { [silent]: null }) };
};

const sameCounts = (one: Counts, other: Counts) => countNames.every((name) => one[name] === other[name]);

/** The clients on the pages of a walk, if with every page one more is deleted from the first. */
function pagesOf<Listed>(clients: readonly Listed[]): Listed[] {
  const pages = Math.ceil(clients.length / pageLimit);
  return Array.from({ length: pages }, (_, page) =>
    clients.slice(page).slice(page * pageLimit, (page + 1) * pageLimit),
  ).flat();
}
