import { hash } from 'node:crypto';
import type { SimulatedCampaign } from '../../src/simulator/campaigns.ts';
import type { PlayedStory, Story, StoryEvent } from '../../src/simulator/story.ts';
import {
  type AccountState,
  type Anomaly,
  type EarlierPeriod,
  expectedMail,
  type Facts,
} from './expected-mail.ts';
import {
  type CountName,
  type Counts,
  campaignsOf,
  countNames,
  daysOf,
  type Every,
  type Period,
  type Row,
  reportedOf,
  sumOf,
} from './figures.ts';
import { newsOf, type Past } from './news.ts';
import type { Part } from './read-mail.ts';
import { daysIn, type ExpectedRow, emptyWindow, keyOf, type Window } from './windows.ts';

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
  /** How many digests had been built by then. */
  readonly digestsBuilt: number;
};

export type BuiltDigest = {
  readonly name: string;
  readonly every: Every;
  readonly first: number;
  readonly last: number;
  readonly corrects: boolean;
  readonly incomplete: boolean;
  readonly provisional: boolean;
  readonly figures: Figures;
  /** The windows that were loaded when it was built: `north 3`. */
  readonly loaded: ReadonlySet<string>;
  /** It is in the table of another period's mail. */
  readonly isEarlier: boolean;
  readonly mail: ExpectedMail;
  /** How many had been built before. */
  readonly number: number;
  readonly at: number;
  /** The rows of all windows when it was built. */
  readonly snapshot: ReadonlyMap<string, Window['rows']>;
};

/** What was decided of a digest and its period last. */
type Decided = {
  readonly partial: boolean;
  readonly corrected: boolean;
  readonly accounts: readonly AccountState[] | undefined;
  /** Null if it was skipped. */
  readonly mail: ExpectedMail | null;
  /** What was decided before its correction. */
  readonly first: Decided | undefined;
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
  const accounts = story.accounts.map(({ name }) => name);
  const windows = new Map<string, Window>();
  const restatements: Restatement[] = [];
  const restatedDays: RestatedDay[] = [];
  let built: BuiltDigest[] = [];
  let digestsBuilt = 0;
  const delivered = new Set<ExpectedMail>();
  const clients = new Map(accounts.map((account) => [account, new Map<number, Client>()]));
  const balances: { account: string; client: number; night: number; balance: string }[] = [];
  /** Counts what happens, one thing after another. */
  let now = 0;
  const decided = new Map<string, Decided>();
  let pending: ExpectedMail[] = [];
  let since: number | null = null;

  const windowOf = (account: string, day: number) => windows.get(keyOf(account, day));

  const isConfirmed = (window: Window | undefined) => window?.loaded === true && window.provisional === null;
  /** What earlier nights confirmed of a day; undefined if nothing. */
  function known(account: string, day: number, night: number) {
    const last = windowOf(account, day)?.applied.findLast((each) => each.night < night);
    return last?.confirmed ? last : undefined;
  }

  /** What speaks against a response by itself, and hasn't been the service's way before. */
  function anomaliesOf(
    account: string,
    day: number,
    night: number,
    catchUp: number,
    { counts, unreadable, announced, listedNow }: Response,
  ): { readonly all: readonly Anomaly[]; readonly unknown: readonly Anomaly[] } {
    const rows = windowOf(account, day)?.rows;
    const lastWeek = [1, 2, 3, 4, 5, 6, 7].flatMap((ago) => known(account, day - ago, night) ?? []);
    const withRows = lastWeek.filter(({ hasRows }) => hasRows);
    const silent = silentOf(counts).filter(
      (name) => withRows.filter((each) => !each.silent.includes(name)).length * 2 > withRows.length,
    );
    const unread = [...unreadable].filter((id) => rows?.get(id)?.withdrawn !== false).length;
    const hadCalls = [7, 14].every((ago) => known(account, day - ago, night)?.hasCalls);
    const all: Anomaly[] = [
      ...(announced > listedNow ? [{ code: 'announced' as const, announced, listed: listedNow }] : []),
      ...(unread > 0 ? [{ code: 'unreadable' as const }] : []),
      ...(silent.length > 0 ? [{ code: 'unreported' as const, counts: silent }] : []),
      ...(unreadable.size === 0 && !hasCalls(counts) && hadCalls ? [{ code: 'no calls' as const }] : []),
    ];
    const before: Anomaly[] = [];
    for (const [key] of windows) {
      const [name, number] = key.split(' ') as [string, string];
      if (name === account && Number(number) >= night - catchUp)
        before.push(...(known(account, Number(number), night)?.anomalies ?? []));
    }
    const isKnown = (anomaly: Anomaly) =>
      anomaly.code !== 'no calls' &&
      before.some(
        (each) =>
          each.code === anomaly.code &&
          (each.code !== 'unreported' ||
            (anomaly as typeof each).counts.every((name) => each.counts.includes(name))),
      );
    return { all, unknown: all.filter((anomaly) => !isKnown(anomaly)) };
  }

  /** What a response takes away from a confirmed day; of its rows, or of a count. */
  function lossOf(window: Window, { counts, unreadable }: Response): 'all' | 'rows' | 'count' | null {
    const current = [...window.rows].filter(([, row]) => !row.withdrawn);
    if (!isConfirmed(window) || current.length === 0) return null;
    if (counts.size + unreadable.size === 0) return 'all';
    const isListed = (id: number) => counts.has(id) || unreadable.has(id);
    const dropped = current.filter(([id]) => !isListed(id)).length;
    if (dropped * 2 > current.length) return 'rows';
    for (const name of countNames) {
      const reporting = current.filter(([, row]) => row[name] !== null);
      if (reporting.length * 2 <= current.length) continue;
      const left = reporting.filter(([id]) => counts.get(id)?.[name] === null).length;
      const gone = reporting.filter(([id]) => !isListed(id)).length;
      if (left > 0 && (left + gone) * 2 > reporting.length) return 'count';
    }
    const had = hasCalls(new Map(current));
    return had && unreadable.size === 0 && !hasCalls(counts) ? 'rows' : null;
  }

  /** Days of an account that a run on that night syncs. */
  function due(account: string, night: number, { lookback, catchUp }: Settings): number[] {
    const days: number[] = [];
    const isWeekly =
      Temporal.PlainDate.from(dateOf(night)).dayOfWeek === (hash('sha256', account, 'buffer')[0]! % 7) + 1;
    for (let day = Math.max(since!, night - catchUp); day < night; day++) {
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
    window.failed = false;
    const current = [...window.rows].filter(([, row]) => !row.withdrawn);
    const isListed = (id: number) => records.some(({ callsetid }) => callsetid === id) || unreadable.has(id);
    const listedNow = records.length + unreadable.size;
    const response = { counts, unreadable, announced, listedNow };
    const { all: found, unknown: own } = anomaliesOf(account, day, night, catchUp, response);
    const loss = lossOf(window, response);
    const wasConfirmed = isConfirmed(window);
    const isSame = window.loaded && window.content === content;
    const isOld = day < night - lookback;
    // Repetition doesn't end that it is in another account, too.
    const isShared = isSame && (window.provisional ?? []).some(({ code }) => code === 'same campaigns');
    const all: readonly Anomaly[] = isShared ? [{ code: 'same campaigns' }, ...found] : found;
    const unknown: readonly Anomaly[] = isShared ? [{ code: 'same campaigns' }, ...own] : own;
    const isGood = unknown.length === 0 && loss === null;
    window.synced = night;
    if (!isGood && !(wasConfirmed && isSame && loss === null)) {
      // The service doesn't keep that day any more.
      if (loss === 'all' && isOld && window.settled) {
        window.held = null;
        return;
      }
      const isForPerson = (loss === 'all' || loss === 'rows') && isOld;
      const isRepeated = wasConfirmed
        ? window.held?.content === content && window.held.night < night && !window.held.isShared
        : isSame && !isShared && window.sameSince < night;
      if (wasConfirmed && (isForPerson || !isRepeated)) {
        if (window.held?.content !== content) window.held = { content, night, at: now, isShared: false };
        return;
      }
      window.provisional = isRepeated ? null : unknown;
    } else window.provisional = null;
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
      else if (old.withdrawn) restate('returned', old);
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
        digestsBuilt,
      });
    if (!isSame) window.sameSince = night;
    window.settled = window.provisional === null && (window.sameSince < night || day <= night - catchUp);
    window.loaded = true;
    window.content = content;
    window.held = null;
    window.applied.push({
      night,
      confirmed: window.provisional === null,
      anomalies: all,
      hasRows: listedNow > 0,
      hasCalls: hasCalls(counts),
      silent: silentOf(counts),
    });
  }

  /** After the windows of a run: days with the same campaigns as another account, unless they were confirmed before. */
  function markSame(night: number, synced: readonly number[]) {
    for (let day = Math.min(...synced); day <= Math.max(...synced); day++) {
      const own = accounts.flatMap((account) => {
        const window = windowOf(account, day);
        return window?.loaded ? [window] : [];
      });
      const hasAttempts = ({ rows }: Window) =>
        [...rows.values()].some(({ withdrawn, attempts }) => !withdrawn && (attempts ?? 0) > 0);
      const has = (some: Window, content: string) =>
        some.content === content || some.held?.content === content;
      for (const window of own) {
        const { held } = window;
        if (held !== null) {
          const isShared =
            // An empty list is no sign of a shared token.
            held.content !== '' &&
            hasAttempts(window) &&
            own.some((other) => other !== window && hasAttempts(other) && has(other, held.content));
          // Once it differs, its nights count anew.
          if (isShared !== held.isShared)
            window.held = { ...held, isShared, night: isShared ? held.night : night };
        }
        const isAlike = (other: Window) =>
          other !== window && hasAttempts(other) && has(other, window.content);
        const before = window.provisional ?? [];
        const others = before.filter(({ code }) => code !== 'same campaigns');
        const wasMarked = others.length < before.length;
        const isNew = window.provisional !== null || window.sameSince === night;
        const isMarked = hasAttempts(window) && own.some(isAlike) && (wasMarked || isNew);
        if (!isMarked && !wasMarked) continue;
        window.provisional = isMarked
          ? [...others, { code: 'same campaigns' }]
          : others.length === 0
            ? null
            : others;
        const last = window.applied.at(-1)!;
        window.applied[window.applied.length - 1] = { ...last, confirmed: window.provisional === null };
      }
    }
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
    let day = since!;
    while (day <= last && isConfirmed(windowOf(account, day))) day++;
    return day > since! ? day - 1 : null;
  }

  const days = daysIn(windows, dateOf);
  /** What nobody got told nothing. */
  const past = (): Past => ({
    windows,
    days,
    restatements,
    built: built.filter((each) => delivered.has(each.mail)),
    clients,
  });
  const isTold = ({ mail }: Decided) => mail === null || delivered.has(mail);

  /** What a mail says of a period now. */
  function report(digest: Digest, last: number) {
    const period: Period = { every: digest.every, first: beginning(digest.every, last)!, last };
    const accounts = digest.accounts.map((account): AccountState => {
      const own = daysOf(period).map((day) => ({ day, window: windowOf(account, day) }));
      return {
        account,
        rows: days.rowsOf(account, period),
        hasFigures: own.some(({ window }) => window?.loaded),
        lacking: own.filter(({ window }) => !window?.loaded).map(({ day }) => day),
        provisional: own.flatMap(({ day, window }) =>
          window?.provisional ? [{ day, anomalies: window.provisional }] : [],
        ),
      };
    });
    return {
      period,
      accounts,
      incomplete: accounts.some(({ lacking }) => lacking.length > 0),
      isProvisional: accounts.some(({ provisional }) => provisional.length > 0),
    };
  }

  /** A mail as it is frozen now, of its period and those that it brings along. */
  function build(
    digest: Digest,
    last: number,
    isCorrection: boolean,
    others: readonly number[],
  ): ExpectedMail {
    now++;
    const { period, accounts } = report(digest, last);
    const mailedOf = (day: number) => decided.get(keyOf(digest.name, day))?.accounts;
    const through = Math.min(
      ...digest.accounts.map((account) => completeThrough(account, last) ?? -Infinity),
    );
    const earlier = others.map(
      (other): EarlierPeriod => ({ ...report(digest, other), before: mailedOf(other) }),
    );
    const facts: Facts = {
      name: digest.name,
      days: daysIn(new Map([...windows].map(([key, window]) => [key, { ...window }])), dateOf),
      since: since!,
      period,
      accounts,
      before: isCorrection ? mailedOf(last) : undefined,
      earlier,
      news: newsOf(past(), digest, period, isCorrection, earlier),
      completeThrough: through === -Infinity ? null : through,
    };
    const date = dateOf(period.first);
    const name = { day: date, week: `${date}-week`, month: `${date.slice(0, 7)}-month` }[digest.every];
    return {
      file: `${digest.name.toLowerCase()}-${name}${isCorrection ? '-corrected' : ''}-${digest.to}`,
      recipient: digest.to,
      says: expectedMail(facts),
      rows: [...earlier, { accounts }]
        .flatMap((each) => each.accounts.flatMap(({ rows }) => rows))
        .map((row) => ({ ...row, status: statusOf(row) })),
    };
  }

  function statusOf({ account, day, callset }: Row) {
    if (windowOf(account, day)!.provisional !== null) return 'provisional';
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
    const earliest = night - settings.catchUp;
    const earlier = deliver(events);
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
      let hasNews = false;
      for (let day = since!; day < night; day++) {
        const from = beginning(digest.every, day);
        if (from === null || from < since!) continue;
        const last = decided.get(keyOf(digest.name, day));
        const isUntold = last !== undefined && !isTold(last);
        // An untold correction is due again, and so is an untold first mail.
        const before = isUntold ? last.first : last;
        const isConfirmed = (each: Decided) => {
          const now = report(digest, day);
          return each.partial && !now.incomplete && !now.isProvisional;
        };
        /** All of it was mailed, and is confirmed as it was. */
        const isSame = (each: Decided) => {
          const now = report(digest, day).accounts;
          return each.accounts!.every(({ account, hasFigures, lacking, rows }) => {
            const own = now.find((other) => other.account === account)!.rows;
            const isEqual = countNames.every((name) => sumOf(rows, name) === sumOf(own, name));
            const isWhole = hasFigures && lacking.length === 0;
            return isWhole && isEqual && campaignsOf(rows).length === campaignsOf(own).length;
          });
        };
        if (before === undefined) {
          if (day < earliest || !isReady(from, day)) continue;
          open.push(day);
          hasNews ||= !isUntold || isConfirmed(last);
        } else if (!before.corrected && isConfirmed(before)) {
          if (isTold(before) && isSame(before)) {
            if (last === before) decided.set(keyOf(digest.name, day), { ...before, corrected: true });
            continue;
          }
          corrections.push(day);
          hasNews ||= !isUntold;
        }
      }
      // What nobody got is told with what is new; alone it is delivered as it was built.
      if (!hasNews) continue;
      for (const day of [...open, ...corrections]) takeBack(digest, day);
      // One mail: the newest that is due, else the newest correction; the others are sent with it.
      const newest = open.at(-1) ?? corrections.at(-1);
      if (newest === undefined) continue;
      const others = [...open, ...corrections].filter((day) => day !== newest).sort((one, two) => one - two);
      const mail = build(digest, newest, open.length === 0, others);
      pending.push(mail);
      const snapshot = new Map(
        [...windows].filter(([, { loaded }]) => loaded).map(([key, { rows }]) => [key, rows]),
      );
      for (const day of [...open, ...corrections]) {
        const { period, accounts, incomplete, isProvisional } = report(digest, day);
        const corrects = corrections.includes(day);
        const rows = accounts.flatMap((each) => each.rows);
        built.push({
          name: digest.name,
          every: digest.every,
          first: period.first,
          last: day,
          corrects,
          incomplete,
          provisional: isProvisional,
          figures: accounts.some(({ hasFigures }) => hasFigures) ? figuresOf(rows) : null,
          loaded: new Set(
            accounts.flatMap(({ account, lacking }) =>
              daysOf(period)
                .filter((each) => !lacking.includes(each))
                .map((each) => keyOf(account, each)),
            ),
          ),
          isEarlier: day !== newest,
          mail,
          number: digestsBuilt++,
          at: now,
          snapshot,
        });
        decided.set(keyOf(digest.name, day), {
          partial: incomplete || isProvisional,
          corrected: corrects,
          accounts,
          mail,
          first: corrects ? decided.get(keyOf(digest.name, day)) : undefined,
        });
      }
    }
    return [...earlier, ...deliver(events)];
  }

  /** Forgets a mail that nobody got, and what was to be sent with it. */
  function takeBack(digest: Digest, day: number): void {
    const last = decided.get(keyOf(digest.name, day));
    if (last === undefined || isTold(last)) return;
    const { mail } = last;
    for (const each of built.filter((other) => other.mail === mail)) {
      const key = keyOf(each.name, each.last);
      const { first } = decided.get(key)!;
      if (first === undefined) decided.delete(key);
      else decided.set(key, first);
    }
    built = built.filter((each) => each.mail !== mail);
    pending = pending.filter((each) => each !== mail);
  }

  /** Tries what is pending; returns what arrives. */
  function deliver(events: readonly StoryEvent[]): ExpectedMail[] {
    if (has(events, 'mail server down')) return [];
    const sent = pending;
    pending = [];
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
    /** A digest that was built before the change and arrived has the day. */
    wasMailed: ({ account, day, digestsBuilt }: RestatedDay) =>
      built.some(
        ({ number, loaded, mail }) =>
          number < digestsBuilt && loaded.has(keyOf(account, day)) && delivered.has(mail),
      ),
    hasArrived: (mail: ExpectedMail) => delivered.has(mail),
    clients,
    balances,
    /** The first expected day; null before the first run. */
    since: () => since,
    /** Backfills these days: no walk, no mail. Before the first night, nothing is wrong yet. */
    backfill(night: number, from: number, to: number, settings: Settings, events = nights[night] ?? []) {
      const synced: number[] = [];
      for (const account of accounts)
        for (let day = from; day <= to; day++) {
          const window = windowOf(account, day);
          if (isConfirmed(window) && window?.held == null) continue;
          sync(account, day, night, events, settings);
          synced.push(day);
        }
      markSame(night, synced);
      // Nobody is mailed about history; yesterday, and a week or month that isn't over, are none.
      for (const { name, every } of digests)
        for (let day = from; day < night - 1; day++)
          if (beginning(every, day) !== null && !decided.has(keyOf(name, day)))
            decided.set(keyOf(name, day), {
              partial: false,
              corrected: false,
              accounts: undefined,
              mail: null,
              first: undefined,
            });
      since = Math.min(since ?? from, from);
    },
    /** Lives through a night that wasn't killed, and returns the mails that arrive on it. */
    live(night: number, settings: Settings): readonly ExpectedMail[] {
      const events = nights[night] ?? [];
      if (has(events, 'no run')) return [];
      since ??= night - 1;
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
      markSame(night, synced);
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

/** What a response for a day says. */
type Response = {
  readonly counts: ReadonlyMap<number, Counts>;
  readonly unreadable: ReadonlySet<number>;
  readonly announced: number;
  readonly listedNow: number;
};

const hasCalls = (counts: ReadonlyMap<number, Counts>) =>
  [...counts.values()].some((each) => countNames.some((name) => (each[name] ?? 0) > 0));

/** Counts that most campaigns leave out. */
const silentOf = (counts: ReadonlyMap<number, Counts>) =>
  countNames.filter(
    (name) => [...counts.values()].filter((each) => each[name] === null).length * 2 > counts.size,
  );

const figuresOf = (rows: readonly Counts[]) => ({
  attempts: reportedOf(rows, 'attempts'),
  connects: reportedOf(rows, 'connects'),
});

const sumsOf = ({ rows }: Window): Figures =>
  figuresOf([...rows.values()].filter(({ withdrawn }) => !withdrawn));

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

const contentOf = (counts: ReadonlyMap<number, Counts>) =>
  [...counts]
    .map(([callset, each]) => [callset, ...countNames.map((name) => each[name])].join())
    .sort()
    .join(' ');

const sameCounts = (one: Counts, other: Counts) => countNames.every((name) => one[name] === other[name]);

/** The clients on the pages of a walk, if with every page one more is deleted from the first. */
function pagesOf<Listed>(clients: readonly Listed[]): Listed[] {
  const pages = Math.ceil(clients.length / pageLimit);
  return Array.from({ length: pages }, (_, page) =>
    clients.slice(page).slice(page * pageLimit, (page + 1) * pageLimit),
  ).flat();
}
