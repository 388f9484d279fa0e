import { hash } from 'node:crypto';
import type { SimulatedCampaign } from '../../src/simulator/campaigns.ts';
import type { StoryEvent } from '../../src/simulator/story.ts';
import { contentOf, decide, type Response, silentOf } from './decide.ts';
import { type CountName, countNames, daysBetween, reportedOf } from './figures.ts';
import { type Figures, isRefused, type Restatement, type Settings, type State } from './state.ts';
import { currentOf, type ExpectedRow, emptyWindow, type ListedRow, type Window } from './windows.ts';

/* What becomes of the windows of a night, by *Due*, *Restated* and *Settled* (docs/concepts.md). */

/** Days of an account that a run on that night syncs. */
export function dueDays(state: State, account: string, night: number, { lookback, catchUp }: Settings) {
  const { dayOfWeek } = Temporal.PlainDate.from(state.dateOf(night));
  const isWeekly = dayOfWeek === (hash('sha256', account, 'buffer')[0]! % 7) + 1;
  const first = Math.max(state.since.get(account)!, night - catchUp);
  return daysBetween(first, night - 1).filter((day) => {
    const window = windowOf(state, account, day);
    if (window === undefined || !window.loaded || window.failed) return true;
    if (window.synced === night) return false;
    return day >= night - Math.max(lookback, 1) || isWeekly || window.held || !window.settled;
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
  const silence = (campaign: string) => state.silence(account, campaign);
  const response = responseOf(truth, events, account, night - day, silence);
  const decision = decide(own, day, response, day < night - settings.lookback);
  window.held = decision === 'hold';
  window.heldContent = window.held ? contentOf(response.rows) : null;
  if (window.held || decision === 'leave out') return;
  const content = contentOf(response.rows);
  const rows = rowsAfter(window.rows, response);
  if (window.confirmed) restate(state, account, day, window, rows);
  if (!window.loaded || window.content !== content) window.sameSince = night;
  window.rows = rows;
  window.content = content;
  window.silent = silentOf([...response.rows.values()]);
  window.isDoubtful = decision === 'load as provisional';
  window.loaded = true;
  window.confirmed = !window.isDoubtful;
  window.settled = window.confirmed && (window.sameSince < night || day <= night - settings.catchUp);
}

/** What is listed is current. What isn't is withdrawn, unless it may be a record without an id. */
function rowsAfter(before: Window['rows'], { rows, unreadable }: Response): Map<number, ExpectedRow> {
  const after = new Map(before);
  if (unreadable.length === 0) for (const [id, row] of before) after.set(id, { ...row, withdrawn: true });
  for (const [id, row] of rows) after.set(id, { ...row, withdrawn: false });
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

/** The last day, up to another, before which no day since the first lacks; null if the first does. */
export function completeThrough(state: State, account: string, last: number): number | null {
  const first = state.since.get(account)!;
  let day = first;
  while (day <= last && windowOf(state, account, day)?.confirmed) day++;
  return day > first ? day - 1 : null;
}

/** What a response lists of the truth. */
function responseOf(
  truth: readonly SimulatedCampaign[],
  events: readonly StoryEvent[],
  account: string,
  daysAgo: number,
  silence: (campaign: string) => CountName | undefined,
): Response {
  let listed = truth.map((record) => ({ ...record, isReadable: true }));
  let announced = truth.length;
  for (const event of events) {
    if (!('daysAgo' in event) || event.account !== account || event.daysAgo !== daysAgo) continue;
    if (event.event === 'half listed') listed = listed.slice(0, Math.ceil(listed.length / 2));
    if (event.event === 'campaigns missing') listed = listed.slice(0, Math.floor(listed.length / 3));
    if (event.event === 'empty day') listed = [];
    if (event.event === 'campaigns missing' || event.event === 'empty day') announced = listed.length;
    if (event.event === 'unreadable records')
      listed = listed.map((each, index) => (index % 4 === 3 ? { ...each, isReadable: false } : each));
  }
  const rowOf = (record: SimulatedCampaign): ListedRow => {
    const { campaign, attempts, busies, connects, liveanswers: liveAnswers } = record;
    const silent = silence(campaign);
    return { campaign, attempts, busies, connects, liveAnswers, ...(silent && { [silent]: null }) };
  };
  return {
    rows: new Map(listed.filter(({ isReadable }) => isReadable).map((each) => [each.callsetid, rowOf(each)])),
    unreadable: listed.filter(({ isReadable }) => !isReadable).map(rowOf),
    announced,
  };
}
