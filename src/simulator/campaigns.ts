import { hash } from 'node:crypto';

export const COUNTS = ['attempts', 'busies', 'connects', 'liveanswers', 'noanswers'] as const;

/** Always: busies + connects + noanswers ≤ attempts, liveanswers ≤ connects. */
export type Figures = Readonly<Record<(typeof COUNTS)[number], number>>;

export const NO_CALLS = Object.fromEntries(COUNTS.map((count) => [count, 0])) as Figures;

/** A campaign summary as it is sent (service.md 2.4); `noanswers` and `category` are fields it doesn't show. */
export type SimulatedCampaign = { readonly callsetid: number; readonly campaign: string } & Figures & {
    readonly category: string;
  };

/** What campaigns are about, and on how many days a week, from Monday, they call. */
export type Purpose = readonly [name: string, category: string, daysAWeek: number];

/** A row of the wall planner: one campaign that never ends, or one after another for purposes of their own. */
export type Row = { readonly number: number; readonly purpose: Purpose | undefined };

type Campaign = { readonly callsetid: number; readonly purpose: Purpose };

const BEGINNING = Temporal.PlainDate.from('2000-01-01');

const FIRST_ID = 1_000_000;

/** Calls by day of the week, Monday first: it opens strong, and weekends are quiet. */
const WEEKDAY_LOAD = [1.12, 1.05, 1, 1, 0.85, 0.4, 0.25];

/** How often a campaign has a day without calls in its midst. */
const REST = 0.04;

/** The campaigns of the rows with attempts in the range (both days included), by id, summed over its days. */
export function summarize(
  seed: number,
  rows: readonly Row[],
  purposes: readonly Purpose[],
  from: Temporal.PlainDate,
  to: Temporal.PlainDate,
  now: Temporal.Instant,
): SimulatedCampaign[] {
  const clock = now.toZonedDateTimeISO('UTC');
  const today = dayNumber(clock.toPlainDate());
  const sums = new Map<number, SimulatedCampaign>();
  // Nothing before 2000 nor after today: the range of a careless request stays cheap.
  for (let day = Math.max(dayNumber(from), 0); day <= Math.min(dayNumber(to), today); day += 1) {
    // Today's calls are made hour by hour, and all only once it is over.
    const share = day === today ? (clock.hour + 1) / 25 : 1;
    for (const { callsetid, purpose } of rows.flatMap((row) => campaignOn(seed, row, purposes, day) ?? [])) {
      const [campaign, category, daysAWeek] = purpose;
      const sum = sums.get(callsetid) ?? { callsetid, campaign, ...NO_CALLS, category };
      const figures = figuresOn(seed, callsetid, daysAWeek, day);
      // Rounding each count down keeps the sums within bounds: ⌊a⌋ + ⌊b⌋ ≤ ⌊a + b⌋.
      const counts = COUNTS.map((count) => [count, sum[count] + Math.floor(figures[count] * share)]);
      sums.set(callsetid, { ...sum, ...Object.fromEntries(counts) });
    }
  }
  return [...sums.values()].filter(({ attempts }) => attempts > 0).sort((a, b) => a.callsetid - b.callsetid);
}

/** Days from 2000-01-01 to the date; negative before it. */
function dayNumber(date: Temporal.PlainDate): number {
  return BEGINNING.until(date, { largestUnit: 'days' }).days;
}

/**
 * The campaign of a row on a day, if any. A row, whose number is below 100 and unique over all accounts, has one in
 * each cycle of days: so what runs on a day follows from that day alone, without walking there from the beginning.
 */
function campaignOn(
  seed: number,
  { number, purpose }: Row,
  purposes: readonly Purpose[],
  day: number,
): Campaign | undefined {
  if (purpose) return { callsetid: FIRST_ID + number, purpose };
  const drawRow = drawFor(seed, 'slot', number);
  const length = Math.floor(drawRow(6, 60));
  const offset = Math.floor(drawRow(0, length));
  const cycle = Math.floor((day + offset) / length);
  const draw = drawFor(seed, 'campaign', number, cycle);
  // The row stays empty for the first days of a cycle, so the number of campaigns varies by day.
  const firstDay = cycle * length - offset + Math.floor(draw(0, length / 4));
  const drawn = purposes[Math.floor(draw(0, purposes.length))];
  if (!drawn || day < firstDay) return undefined;
  // A row starts at most one campaign a day: the id is unique, and newer campaigns have higher ids.
  return { callsetid: FIRST_ID + firstDay * 100 + number, purpose: drawn };
}

function figuresOn(seed: number, callsetid: number, daysAWeek: number, day: number): Figures {
  const weekday = (day + 5) % 7; // Monday is 0; day 0, 2000-01-01, was a Saturday.
  const draw = drawFor(seed, 'day', callsetid, day);
  if (draw(0, 1) < REST || weekday >= daysAWeek) return NO_CALLS;
  const drawSize = drawFor(seed, 'size', callsetid);
  const size = (80 + 4_000 * drawSize(0, 1) ** 2) * WEEKDAY_LOAD[weekday]!;
  const attempts = Math.round(size * draw(0.8, 1.2));
  const connects = Math.floor(attempts * (drawSize(0.4, 0.7) + draw(-0.05, 0.05)));
  const busies = Math.floor((attempts - connects) * draw(0.1, 0.3));
  return {
    attempts,
    busies,
    connects,
    liveanswers: Math.floor(connects * draw(0.35, 0.65)),
    noanswers: Math.floor((attempts - connects - busies) * draw(0.6, 0.95)),
  };
}

/**
 * Up to eight numbers, from `low` (included) to `high` (excluded), that depend on the keys alone. Figures are drawn by
 * what they are about, not as the next numbers of a sequence, as faker's are: any day of any year costs the same, and
 * the order of requests can't change a response.
 */
function drawFor(...keys: readonly (number | string)[]): (low: number, high: number) => number {
  const digest = hash('sha256', keys.join(' '), 'buffer');
  let next = 0;
  return (low, high) => {
    const share = digest.readUInt32LE(next) / 2 ** 32;
    next += 4;
    return low + (high - low) * share;
  };
}
