import { type CountName, type Counts, countNames, reportedOf } from './figures.ts';
import { currentOf, type ListedRow, type Window } from './windows.ts';

/* What becomes of a response, by *Anomaly* (docs/concepts.md). Nights and days are numbers from 0. */

/** What a response for a day says. */
export type Response = {
  readonly rows: ReadonlyMap<number, ListedRow>;
  /** Records without an id. */
  readonly unreadable: readonly ListedRow[];
  readonly announced: number;
};

/** The days of an account; undefined for one that was never attempted. */
type AccountWindows = ReadonlyMap<number, Window>;

export type LoadDecision = 'confirm' | 'load as provisional' | 'hold' | 'leave out';

const weekDays = 7;
const minSameAttempts = 20;

const hasCalls = (rows: readonly Counts[]) =>
  rows.some((row) => countNames.some((name) => (row[name] ?? 0) > 0));

/** Counts that most campaigns leave out. */
export const silentOf = (rows: readonly Counts[]): CountName[] =>
  countNames.filter((name) => rows.filter((row) => row[name] === null).length * 2 > rows.length);

const countsKey = (row: Counts) => countNames.map((name) => row[name]).join();

/** Each content has one text, whatever its order. */
export const contentOf = (rows: Response['rows']) =>
  [...rows]
    .map(([callset, row]) => `${callset},${countsKey(row)}`)
    .sort()
    .join(' ');

/** @param isOld nobody asks for the day any more on each night */
export function decide(
  windows: AccountWindows,
  day: number,
  response: Response,
  isOld: boolean,
): LoadDecision {
  const window = windows.get(day)!;
  const isDoubtful = speaksAgainstItself(window, response);
  const loss = lossOf(window, response);
  if (window.confirmed) {
    const content = contentOf(response.rows);
    if (window.content === content) return 'confirm';
    // The service doesn't keep that day any more.
    if (loss === 'all' && isOld && window.settled) return 'leave out';
    const isOfDayBefore = windows.get(day - 1)?.content === content && isDistinct(response.rows);
    return isDoubtful || loss !== null || isOfDayBefore ? 'hold' : 'confirm';
  }
  const listsNothing = response.rows.size + response.unreadable.length === 0;
  if ((isDoubtful || listsNothing) && (loss === 'all' || loss === 'rows')) return 'leave out';
  return isDoubtful ? 'load as provisional' : 'confirm';
}

/** It announces another number than it lists, or a record can't be read and doesn't repeat a row. */
function speaksAgainstItself(window: Window, { rows, unreadable, announced }: Response): boolean {
  const key = (row: ListedRow) => `${row.campaign} ${countsKey(row)}`;
  const loaded = new Set([...rows, ...currentOf(window)].map(([, row]) => key(row)));
  return announced !== rows.size + unreadable.length || unreadable.some((row) => !loaded.has(key(row)));
}

/** What the current campaigns of a day would lose. `rows`: most of them, or the calls of all; `count`: most figures of a count. */
function lossOf(window: Window, { rows, unreadable }: Response): 'all' | 'rows' | 'count' | null {
  const current = currentOf(window);
  // A record without an id may be of any campaign.
  const isListed = (id: number) => unreadable.length > 0 || rows.has(id);
  const dropped = current.filter(([id]) => !isListed(id)).length;
  if (current.length === 0) return null;
  if (dropped === current.length && rows.size === 0) return 'all';
  if (dropped * 2 > current.length) return 'rows';
  const calling = current.map(([, row]) => row);
  if (hasCalls(calling) && unreadable.length === 0 && !hasCalls([...rows.values()])) return 'rows';
  const isUnreported = countNames.some((name) => {
    const reporting = current.filter(([, row]) => row[name] !== null);
    const left = reporting.filter(([id]) => rows.get(id)?.[name] === null).length;
    const gone = reporting.filter(([id]) => !isListed(id)).length;
    return reporting.length * 2 > current.length && left > 0 && (left + gone) * 2 > reporting.length;
  });
  return isUnreported ? 'count' : null;
}

/** No other day has the same figures by chance. */
const isDistinct = (rows: ReadonlyMap<number, Counts>) =>
  (reportedOf([...rows.values()], 'attempts') ?? 0) >= minSameAttempts;

/**
 * After the windows of a night: its days beside each other, from the oldest on, each beside what is confirmed by then.
 *
 * @param from the first day on which runs catch up
 */
export function review(windows: AccountWindows, from: number): void {
  const loaded = [...windows]
    .filter(([, window]) => window.loaded)
    .sort(([one], [other]) => one - other)
    .map(([day, window]) => ({ day, window, rows: currentOf(window).map(([, row]) => row) }));
  for (const { day, window, rows } of loaded) {
    if (day < from) continue;
    const before = loaded.filter((each) => each.day < day && each.window.confirmed);
    const lastWeek = before.filter((each) => each.rows.length > 0).slice(-weekDays);
    const lacksCount = (name: CountName) =>
      lastWeek.filter((each) => !each.window.silent.includes(name)).length * 2 > lastWeek.length;
    const sameWeekday = before.filter((each) => (day - each.day) % weekDays === 0).slice(-2);
    const lacksCalls = !hasCalls(rows) && sameWeekday.filter((each) => hasCalls(each.rows)).length === 2;
    const isRepeated =
      window.sameSince < window.synced && loaded.some((each) => each.day > day && each.rows.length > 0);
    const isOfOtherDay =
      isDistinct(window.rows) &&
      loaded.some(
        (each) =>
          (each.day === day - 1 && [each.window.content, each.window.heldContent].includes(window.content)) ||
          (each.day === day + 1 &&
            each.window.content === window.content &&
            each.window.sameSince <= window.sameSince),
      );
    const isConfirmed =
      !window.isDoubtful &&
      !(rows.length > 0 && window.silent.some(lacksCount)) &&
      !(lacksCalls && !isRepeated) &&
      !isOfOtherDay;
    if (isConfirmed === window.confirmed) continue;
    window.confirmed = isConfirmed;
    window.settled = isConfirmed && (window.sameSince < window.synced || day === from);
  }
}
