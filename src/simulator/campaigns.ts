import { hash } from 'node:crypto';
import type { CampaignKind } from './names.ts';

export const COUNTS = ['attempts', 'busies', 'connects', 'liveanswers', 'noanswers'] as const;

/** Always: busies + connects + noanswers ≤ attempts, liveanswers ≤ connects. */
export type Figures = Readonly<Record<(typeof COUNTS)[number], number>>;

/** A campaign and the days (counted from 2000-01-01 as 0, both ends included) on which it may call. */
export type Campaign = {
  readonly callsetid: number;
  readonly name: string;
  readonly category: string;
  readonly daysAWeek: number;
  readonly firstDay: number;
  readonly lastDay: number;
};

/**
 * A row of a wall planner: the campaigns of one slot follow one another, one in each cycle of days. So what runs on a
 * day follows from that day alone, without walking there from the beginning.
 */
export type Slot = {
  /** Below 100, unique over all accounts: the last two digits of its campaigns' ids. */
  readonly number: number;
  /** Set for a slot whose one campaign never ends. */
  readonly allYear?: Pick<Campaign, 'name' | 'category' | 'daysAWeek'>;
};

/** How far the calling has come: `share` (0 to 1) of `today`'s calls are made, and none of a later day's. */
export type Progress = { readonly today: number; readonly share: number };

const BEGINNING = Temporal.PlainDate.from('2000-01-01');

/** Calls by day of the week, Monday first: it opens strong, and weekends are quiet. */
const WEEKDAY_LOAD = [1.12, 1.05, 1, 1, 0.85, 0.4, 0.25];

/** How often a campaign has a day without calls in its midst. */
const REST = 0.04;

/** Days from 2000-01-01 to the date; negative before it. */
export function dayNumber(date: Temporal.PlainDate): number {
  return BEGINNING.until(date, { largestUnit: 'days' }).days;
}

/** The campaigns of a slot whose days touch the range of day numbers, both ends included. */
export function campaignsOf(
  seed: number,
  { number, allYear }: Slot,
  kinds: readonly CampaignKind[],
  fromDay: number,
  toDay: number,
): Campaign[] {
  if (allYear) {
    const callsetid = 1_000_000 + number;
    return [{ ...allYear, callsetid, firstDay: 0, lastDay: Number.MAX_SAFE_INTEGER }];
  }
  const [length, start] = drawsFor(seed, 'slot', number);
  const cycle = Math.floor(between(6, 60, length));
  const offset = Math.floor(cycle * start);
  const campaigns: Campaign[] = [];
  for (let turn = Math.floor((fromDay + offset) / cycle); turn * cycle - offset <= toDay; turn += 1) {
    const [pause, kindDraw, nameDraw] = drawsFor(seed, 'campaign', number, turn);
    // The slot stays empty for the first days of a cycle, so the number of campaigns varies by day.
    const firstDay = turn * cycle - offset + Math.floor((cycle / 4) * pause);
    const lastDay = (turn + 1) * cycle - offset - 1;
    // A slot starts at most one campaign a day: the id is unique, and newer campaigns have higher ids.
    const callsetid = 1_000_000 + firstDay * 100 + number;
    const { names, ...kind } = pick(kinds, kindDraw);
    if (firstDay > toDay || lastDay < fromDay) continue;
    campaigns.push({ ...kind, name: pick(names, nameDraw), callsetid, firstDay, lastDay });
  }
  return campaigns;
}

function pick<T>(list: readonly T[], draw: number): T {
  return list[Math.floor(draw * list.length)] as T;
}

/** The progress at an instant: by UTC's calendar, growing each hour, whole only once the day is over. */
export function progressAt(instant: Temporal.Instant): Progress {
  const clock = instant.toZonedDateTimeISO('UTC');
  return { today: dayNumber(clock.toPlainDate()), share: (clock.hour + 1) / 25 };
}

/** A campaign's counts over a range of day numbers, both ends included: the sum of its days. */
export function figuresBetween(
  seed: number,
  campaign: Campaign,
  fromDay: number,
  toDay: number,
  { today, share }: Progress,
): Figures {
  let total = figures(() => 0);
  const last = Math.min(toDay, campaign.lastDay, today);
  for (let day = Math.max(fromDay, campaign.firstDay, 0); day <= last; day += 1) {
    const whole = figuresOfDay(seed, campaign, day);
    if (!whole) continue;
    const before = total;
    // Rounding each count down keeps the sums within bounds: ⌊a⌋ + ⌊b⌋ ≤ ⌊a + b⌋.
    total = figures((count) => before[count] + Math.floor(whole[count] * (day === today ? share : 1)));
  }
  return total;
}

/** Undefined for a day without calls. */
function figuresOfDay(seed: number, { callsetid, daysAWeek }: Campaign, day: number): Figures | undefined {
  const weekday = (day + 5) % 7; // Monday is 0; day 0, 2000-01-01, was a Saturday.
  if (weekday >= daysAWeek) return undefined;
  const [rest, swing, reached, busy, live, unanswered] = drawsFor(seed, 'day', callsetid, day);
  if (rest < REST) return undefined;
  const [size, reach] = drawsFor(seed, 'size', callsetid);
  const load = WEEKDAY_LOAD[weekday] ?? 1;
  const attempts = Math.round((80 + 4_000 * size ** 2) * load * between(0.8, 1.2, swing));
  const connects = Math.floor(attempts * (between(0.4, 0.7, reach) + between(-0.05, 0.05, reached)));
  const busies = Math.floor((attempts - connects) * between(0.1, 0.3, busy));
  return {
    attempts,
    busies,
    connects,
    liveanswers: Math.floor(connects * between(0.35, 0.65, live)),
    noanswers: Math.floor((attempts - connects - busies) * between(0.6, 0.95, unanswered)),
  };
}

function figures(of: (count: keyof Figures) => number): Figures {
  return Object.fromEntries(COUNTS.map((count) => [count, of(count)])) as Figures;
}

/** Numbers from 0 (included) to 1 (excluded). */
type Draws = readonly [number, number, number, number, number, number, number, number];

/**
 * Eight numbers that depend on the keys alone. Figures are drawn by what they are about, not as the next numbers of a
 * sequence: any day of any year costs the same, and the order of requests can't change a response.
 */
function drawsFor(...keys: readonly (number | string)[]): Draws {
  const digest = hash('sha256', keys.join(' '), 'buffer');
  return Array.from(
    { length: 8 },
    (_, index) => digest.readUInt32LE(index * 4) / 2 ** 32,
  ) as unknown as Draws;
}

/** Moves a draw into the range from `low` (included) to `high` (excluded). */
function between(low: number, high: number, draw: number): number {
  return low + (high - low) * draw;
}
