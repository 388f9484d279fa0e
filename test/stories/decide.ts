import { type CountName, type Counts, countNames } from './figures.ts';
import {
  type Anomaly,
  type AppliedResponse,
  currentOf,
  type Loss,
  unknownOf,
  type Window,
} from './windows.ts';

/*
 * What becomes of a response, by the design's *Anomaly* and *Known*. Nights and days are numbers from 0. Whether a response loads
 * is decided by what the nights before brought, whether anomalies are the way of the service after the windows by tonight's, too.
 */

/** What a response for a day says. */
export type Response = {
  readonly counts: ReadonlyMap<number, Counts>;
  /** The ids of its unreadable records. */
  readonly unreadable: ReadonlySet<number>;
  readonly announced: number;
};

/** The days of an account; undefined for one that was never attempted. */
type AccountWindows = ReadonlyMap<number, Window>;

export type LoadDecision = 'confirm' | 'load as provisional' | 'hold' | 'leave out';

/** What becomes of a response, why, and what it would take away from the day. */
export type Decided = {
  readonly decision: LoadDecision;
  readonly anomalies: readonly Anomaly[];
  readonly loss: Loss | null;
};

const weekDays = 7;
const lastDays = 14;
const evidenceDays = 62;

export const listedIn = ({ counts, unreadable }: Response) => counts.size + unreadable.size;

export const hasCalls = (counts: ReadonlyMap<number, Counts>) =>
  [...counts.values()].some((each) => countNames.some((name) => (each[name] ?? 0) > 0));

/** Counts that most campaigns leave out. */
export const silentOf = (counts: ReadonlyMap<number, Counts>): CountName[] =>
  countNames.filter(
    (name) => [...counts.values()].filter((each) => each[name] === null).length * 2 > counts.size,
  );

/** Each content has one text, whatever its order. */
export const contentOf = (counts: ReadonlyMap<number, Counts>) =>
  [...counts]
    .map(([callset, each]) => [callset, ...countNames.map((name) => each[name])].join())
    .sort()
    .join(' ');

/**
 * @param window the day, as it stands
 * @param isOld nobody asks for the day any more on each night
 */
export function decide(
  windows: AccountWindows,
  { day, night, isOld }: { readonly day: number; readonly night: number; readonly isOld: boolean },
  window: Window,
  response: Response,
): Decided {
  const isSame = window.loaded && window.content === contentOf(response.counts);
  const own = anomaliesOf(windows, day, night, window, response);
  // Repetition doesn't end that it is in another account, too.
  const anomalies = [...own, ...(isSame ? window.anomalies.filter(isShared) : [])];
  const unknown = unknownOf(anomalies);
  const loss = lossOf(window, response);
  const decided = (decision: LoadDecision) => ({ decision, anomalies, loss });
  if (window.confirmed) {
    if (isSame) return decided('confirm');
    // The service doesn't keep that day any more.
    if (loss === 'all' && isOld && window.settled) return decided('leave out');
    if (unknown.length > 0 || loss !== null) return decided('hold');
    // What is the service's way by now wasn't when the day was confirmed without it.
    const had = window.anomalies.map(({ code }) => code);
    return decided(own.every(({ code }) => had.includes(code)) ? 'confirm' : 'leave out');
  }
  const looksIncomplete = listedIn(response) === 0 || unknownOf(own).length > 0;
  if (looksIncomplete && (loss === 'all' || loss === 'rows')) return decided('leave out');
  const isDecided = isSame && window.sameSince < night && unknown.every(({ code }) => code === 'no calls');
  return decided(unknown.length === 0 || isDecided ? 'confirm' : 'load as provisional');
}

/** What speaks against a response by itself. */
function anomaliesOf(
  windows: AccountWindows,
  day: number,
  night: number,
  { rows }: Window,
  { counts, unreadable, announced }: Response,
): Anomaly[] {
  const listed = counts.size + unreadable.size;
  const before = (ago: number) => confirmedBefore(windows.get(day - ago), night);
  const lastWeek = [...windows]
    .filter(([each]) => each < day && (each > night - 1 - evidenceDays || each >= day - 2 * weekDays))
    .sort(([one], [other]) => other - one)
    .flatMap(([, each]) => confirmedBefore(each, night) ?? [])
    .filter((each) => each.rows > 0)
    .slice(0, weekDays);
  const silent = silentOf(counts).filter(
    (name) => lastWeek.filter((each) => !each.silent.includes(name)).length * 2 > lastWeek.length,
  );
  const unread = [...unreadable].filter((id) => rows.get(id)?.withdrawn !== false).length;
  const hadCalls = [weekDays, 2 * weekDays].every((ago) => before(ago)?.hasCalls);
  const found: Anomaly[] = [
    ...(announced > listed ? [{ code: 'announced' as const, announced, listed, known: false }] : []),
    ...(unread > 0 ? [{ code: 'unreadable' as const, known: false }] : []),
    ...(silent.length > 0 ? [{ code: 'unreported' as const, counts: silent, known: false }] : []),
    ...(unreadable.size === 0 && !hasCalls(counts) && hadCalls
      ? [{ code: 'no calls' as const, known: false }]
      : []),
  ];
  return found.map((anomaly) => ({ ...anomaly, known: isKnown(anomaly, day, windows, night - 1) }));
}

/** What the nights before loaded last of a day, if that confirmed it. */
function confirmedBefore(window: Window | undefined, night: number): AppliedResponse | undefined {
  const last = window?.applied.findLast((each) => each.night < night);
  return last?.confirmed ? last : undefined;
}

/** What the current campaigns of a loaded day would lose. */
function lossOf(window: Window, response: Response): Loss | null {
  const { counts, unreadable } = response;
  const current = currentOf(window);
  if (current.length === 0) return null;
  if (listedIn(response) === 0) return 'all';
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
  return hasCalls(new Map(current)) && unreadable.size === 0 && !hasCalls(counts) ? 'rows' : null;
}

const isShared = ({ code }: Anomaly) => code === 'same campaigns';

/**
 * More than half of the last days with rows had the anomaly, as they are loaded; and on most of the others, or a week away, it was as
 * large.
 *
 * @param until the night of the newest response
 */
export function isKnown(anomaly: Anomaly, day: number, windows: AccountWindows, until: number): boolean {
  if (anomaly.code !== 'announced' && anomaly.code !== 'unreported') return false;
  const last = [...windows]
    .filter(([each]) => each > until - evidenceDays)
    .sort(([one], [other]) => other - one)
    .flatMap(([each, { applied }]) => {
      const came = applied.filter(({ night }) => night <= until);
      const newest = came.at(-1);
      const hadIt = came.filter(({ anomalies }) => anomalies.some(({ code }) => code === anomaly.code));
      return newest === undefined || newest.rows === 0
        ? []
        : [{ day: each, anomalies: newest.anomalies, nights: hadIt.map(({ night }) => night) }];
    })
    .slice(0, lastDays);
  const having = last.flatMap((each) => {
    const same = each.anomalies.find(({ code }) => code === anomaly.code);
    return same === undefined ? [] : [{ ...each, isAsLarge: isAsLarge(same, anomaly) }];
  });
  const isFrequent =
    having.length >= 3 &&
    having.length * 2 > last.length &&
    new Set(having.flatMap(({ nights }) => nights)).size >= 2;
  const asLarge = having.filter((each) => each.day !== day && each.isAsLarge);
  const isOfMost = asLarge.length * 2 > last.filter((each) => each.day !== day).length;
  return isFrequent && (isOfMost || asLarge.some((each) => Math.abs(each.day - day) >= weekDays));
}

/** By what is missing or its share; by the counts that are left out. */
function isAsLarge(one: Anomaly, other: Anomaly): boolean {
  if (one.code === 'announced' && other.code === 'announced') {
    const isNoFewer = one.announced - one.listed >= other.announced - other.listed;
    return isNoFewer || one.listed / one.announced <= other.listed / other.announced;
  }
  if (one.code === 'unreported' && other.code === 'unreported')
    return other.counts.every((name) => one.counts.includes(name));
  return false;
}

/** After the windows of a night: what is the way of the service by now keeps no day provisional, and no response held. */
export function acknowledge(windows: AccountWindows, night: number, lastChance: number): void {
  for (const [day, window] of windows) {
    const isNowKnown = (anomaly: Anomaly) => isKnown(anomaly, day, windows, night);
    if (
      window.loaded &&
      !window.confirmed &&
      window.anomalies.some((each) => !each.known && isNowKnown(each))
    )
      mark(
        window,
        window.anomalies.map((each) => (isNowKnown(each) ? { ...each, known: true } : each)),
        day <= lastChance,
      );
    if (window.held?.loss === null && unknownOf(window.held.anomalies).every(isNowKnown)) window.held = null;
  }
}

/** After the windows of a night: a day with the same campaigns in several accounts, unless they were confirmed before. */
export function markSame(loaded: readonly Window[], night: number, isOutsideCatchUp: boolean): void {
  const has = ({ content, held }: Window, some: string) => content === some || held?.content === some;
  const marked = loaded.filter((window) => {
    const isAlike = (other: Window) => other !== window && hasAttempts(other) && has(other, window.content);
    const isNew = !window.confirmed || window.sameSince === night;
    return isNew && hasAttempts(window) && loaded.some(isAlike);
  });
  for (const window of loaded) {
    const isMarked = marked.includes(window);
    if (isMarked === window.anomalies.some(isShared)) continue;
    const others = window.anomalies.filter((anomaly) => !isShared(anomaly));
    mark(window, isMarked ? [...others, { code: 'same campaigns', known: false }] : others, isOutsideCatchUp);
  }
}

const hasAttempts = (window: Window) => currentOf(window).some(([, { attempts }]) => (attempts ?? 0) > 0);

/** What speaks against a day from now on: nothing confirms it. */
function mark(window: Window, anomalies: readonly Anomaly[], isOutsideCatchUp: boolean): void {
  window.anomalies = anomalies;
  window.confirmed = unknownOf(anomalies).length === 0;
  window.settled = window.confirmed && (window.sameSince < window.synced || isOutsideCatchUp);
  window.applied.push({ ...window.applied.pop()!, confirmed: window.confirmed });
}
