import { hash } from 'node:crypto';
import type { SimulatedCampaign } from '../../src/simulator/campaigns.ts';
import type { StoryEvent } from '../../src/simulator/story.ts';
import { acknowledge, contentOf, decide, hasCalls, listedIn, markSame, silentOf } from './decide.ts';
import { type CountName, type Counts, countNames, daysBetween, reportedOf } from './figures.ts';
import { type Figures, isRefused, type Restatement, type Settings, type State } from './state.ts';
import { currentOf, type ExpectedRow, emptyWindow, type Window } from './windows.ts';

/* What becomes of the windows of a night, by the design's *Due*, *Restated* and *Settled*. */

/** Days of an account that a run on that night syncs. */
export function dueDays(state: State, account: string, night: number, { lookback, catchUp }: Settings) {
  const { dayOfWeek } = Temporal.PlainDate.from(state.dateOf(night));
  const isWeekly = dayOfWeek === (hash('sha256', account, 'buffer')[0]! % 7) + 1;
  const first = Math.max(state.since.get(account)!, night - catchUp);
  return daysBetween(first, night - 1).filter((day) => {
    const window = windowOf(state, account, day);
    if (window === undefined || !window.loaded || window.failed) return true;
    if (window.synced === night) return false;
    return day >= night - Math.max(lookback, 1) || isWeekly || window.held !== null || !window.settled;
  });
}

export const windowOf = ({ windows }: State, account: string, day: number) => windows.get(account)!.get(day);

/** Fetches a window, and loads what comes or holds it. */
export function sync(state: State, account: string, day: number, night: number, settings: Settings): void {
  const events = state.nights[night] ?? [];
  const own = state.windows.get(account)!;
  const window = own.get(day) ?? emptyWindow();
  own.set(day, window);
  state.now++;
  window.failed = isRefused(events, account);
  if (window.failed) return;
  window.synced = night;
  const truth = state.truth.campaignsOn(night, account, state.dateOf(day));
  const { records, unreadable, announced } = responseOf(truth, events, account, night - day);
  const counts = new Map(
    records.map((record) => [record.callsetid, countsOf(record, state.silence(account, record.campaign))]),
  );
  const response = { counts, unreadable, announced };
  const isOld = day < night - settings.lookback;
  const { decision, anomalies, loss } = decide(own, { day, night, isOld }, window, response);
  const content = contentOf(counts);
  if (decision === 'hold') {
    window.held = { content, anomalies, loss };
    return;
  }
  window.held = null;
  if (decision === 'leave out') return;
  window.applied.push({
    night,
    confirmed: decision === 'confirm',
    anomalies,
    rows: listedIn(response),
    hasCalls: hasCalls(counts),
    silent: silentOf(counts),
  });
  const rows = rowsAfter(window.rows, records, counts, unreadable);
  if (window.confirmed) restate(state, account, day, window, rows);
  if (!window.loaded || window.content !== content) window.sameSince = night;
  window.rows = rows;
  window.content = content;
  window.anomalies = anomalies;
  window.loaded = true;
  window.confirmed = decision === 'confirm';
  window.settled = window.confirmed && (window.sameSince < night || day <= night - settings.catchUp);
}

/** What is listed is current. What isn't is withdrawn, unless its record can't be read. */
function rowsAfter(
  before: Window['rows'],
  records: readonly SimulatedCampaign[],
  counts: ReadonlyMap<number, Counts>,
  unreadable: ReadonlySet<number>,
): Map<number, ExpectedRow> {
  const after = new Map(before);
  for (const [id, row] of before) if (!unreadable.has(id)) after.set(id, { ...row, withdrawn: true });
  for (const { callsetid, campaign } of records)
    after.set(callsetid, { ...counts.get(callsetid)!, campaign, withdrawn: false });
  return after;
}

/** Records what changes of a confirmed day. */
function restate(
  { restatements, restatedDays, now }: State,
  account: string,
  day: number,
  window: Window,
  after: Window['rows'],
): void {
  const changes = [...after].flatMap(([callset, row]): Restatement[] => {
    const old = window.rows.get(callset);
    const reason = reasonOf(old, row);
    if (reason === null) return [];
    const before = reason === 'returned' ? null : (old ?? null);
    return [{ account, day, callset, reason, before }];
  });
  if (changes.length === 0) return;
  restatements.push(...changes);
  restatedDays.push({ account, day, campaigns: changes.length, before: sumsOf(window), at: now });
}

function reasonOf(old: ExpectedRow | undefined, row: ExpectedRow): Restatement['reason'] | null {
  if (old === undefined) return 'appeared';
  if (old.withdrawn !== row.withdrawn) return row.withdrawn ? 'withdrawn' : 'returned';
  return countNames.some((name) => old[name] !== row[name]) ? 'changed' : null;
}

export function sumsOf(window: Window): Figures {
  const rows = currentOf(window).map(([, row]) => row);
  return { attempts: reportedOf(rows, 'attempts'), connects: reportedOf(rows, 'connects') };
}

/** What a run says of days once it has all of them. */
export function review(state: State, night: number, synced: readonly number[], { catchUp }: Settings): void {
  if (synced.length === 0) return;
  const lastChance = night - catchUp;
  for (const day of daysBetween(Math.min(...synced), Math.max(...synced))) {
    const windows = state.accounts.flatMap((account) => windowOf(state, account, day) ?? []);
    const loaded = windows.filter((window) => window.loaded);
    markSame(loaded, night, day <= lastChance);
  }
  for (const account of state.accounts) acknowledge(state.windows.get(account)!, night, lastChance);
}

/** The last day, up to another, before which no day since the first lacks; null if the first does. */
export function completeThrough(state: State, account: string, last: number): number | null {
  const first = state.since.get(account)!;
  let day = first;
  while (day <= last && windowOf(state, account, day)?.confirmed) day++;
  return day > first ? day - 1 : null;
}

/** What a response lists of the truth, and the ids of its unreadable records. */
function responseOf(
  truth: readonly SimulatedCampaign[],
  events: readonly StoryEvent[],
  account: string,
  daysAgo: number,
) {
  let listed = truth;
  let announced = truth.length;
  let unreadable = new Set<number>();
  for (const event of events) {
    if (!('daysAgo' in event) || event.account !== account || event.daysAgo !== daysAgo) continue;
    if (event.event === 'empty day') {
      listed = [];
      announced = 0;
    }
    if (event.event === 'half listed') listed = listed.slice(0, Math.ceil(listed.length / 2));
    if (event.event === 'campaigns missing') {
      listed = listed.slice(0, Math.floor(listed.length / 3));
      announced = listed.length;
    }
    if (event.event === 'unreadable records')
      unreadable = new Set(listed.filter((_, index) => index % 4 === 3).map(({ callsetid }) => callsetid));
  }
  return {
    records: listed.filter(({ callsetid }) => !unreadable.has(callsetid)),
    // A later event of the same day may leave them out.
    unreadable: new Set(listed.map(({ callsetid }) => callsetid).filter((id) => unreadable.has(id))),
    announced,
  };
}

function countsOf(record: SimulatedCampaign, silent: CountName | undefined): Counts {
  const { attempts, busies, connects, liveanswers: liveAnswers } = record;
  return { attempts, busies, connects, liveAnswers, ...(silent && { [silent]: null }) };
}
