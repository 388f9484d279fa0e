import { hash } from 'node:crypto';

export const COUNTS = ['attempts', 'busies', 'connects', 'liveanswers', 'noanswers'] as const;

/** Counts with busies + connects + noanswers ≤ attempts, and liveanswers ≤ connects. */
export type Figures = Readonly<Record<(typeof COUNTS)[number], number>>;

const NO_CALLS = Object.fromEntries(COUNTS.map((count) => [count, 0])) as Figures;

/** A campaign summary as sent. The service's document doesn't show `noanswers` and `category`. */
export type SimulatedCampaign = { readonly callsetid: number; readonly campaign: string } & Figures & {
    readonly category: string;
  };

/** The subject of a campaign; it calls on the first `daysAWeek` days of a week, from Monday. */
export type Purpose = readonly [name: string, category: string, daysAWeek: number];

/** More would need longer ids of campaigns. */
export const MAX_SERIES = 100;

/**
 * Campaigns one after another, each with a random purpose, or a single endless one if `purpose` is set. The number is
 * below MAX_SERIES and unique over all accounts.
 */
export type Series = { readonly number: number; readonly purpose: Purpose | undefined };

type Campaign = { readonly callsetid: number; readonly purpose: Purpose };

const BEGINNING = Temporal.PlainDate.from('2000-01-01');

const FIRST_ID = 1_000_000;

/** Factors of the number of calls, Monday first. */
const WEEKDAY_LOAD = [1.12, 1.05, 1, 1, 0.85, 0.4, 0.25];

/** Probability that a campaign doesn't call on one of its days. */
const IDLE_PROBABILITY = 0.04;

/** Sums the campaigns over the range, both days included; ordered by id, without those that made no attempts. */
export function summarize(
  seed: number,
  series: readonly Series[],
  purposes: readonly Purpose[],
  from: Temporal.PlainDate,
  to: Temporal.PlainDate,
  now: Temporal.Instant,
): SimulatedCampaign[] {
  const clock = now.toZonedDateTimeISO('UTC');
  const today = dayNumber(clock.toPlainDate());
  const sums = new Map<number, SimulatedCampaign>();
  // No calls before 2000 or after today, so that any range is cheap.
  for (let day = Math.max(dayNumber(from), 0); day <= Math.min(dayNumber(to), today); day += 1) {
    // Today's counts grow every hour and stay incomplete until the day is over.
    const share = day === today ? (clock.hour + 1) / 25 : 1;
    for (const { callsetid, purpose } of series.flatMap(
      (each) => campaignOn(seed, each, purposes, day) ?? [],
    )) {
      const [campaign, category, daysAWeek] = purpose;
      const sum = sums.get(callsetid) ?? { callsetid, campaign, ...NO_CALLS, category };
      const figures = figuresOn(seed, callsetid, daysAWeek, day);
      // Rounded down, the counts keep their bounds: ⌊a⌋ + ⌊b⌋ ≤ ⌊a + b⌋.
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
 * The campaign of a series on a day, if any. A series has one campaign in each cycle of days, so any day is computed
 * without those before it.
 */
function campaignOn(
  seed: number,
  { number, purpose }: Series,
  purposes: readonly Purpose[],
  day: number,
): Campaign | undefined {
  if (purpose) return { callsetid: FIRST_ID + number, purpose };
  const drawCycle = drawFor(seed, 'slot', number);
  const length = Math.floor(drawCycle(6, 60));
  const offset = Math.floor(drawCycle(0, length));
  const cycle = Math.floor((day + offset) / length);
  const draw = drawFor(seed, 'campaign', number, cycle);
  // A cycle starts with some days without a campaign, so the number of campaigns varies by day.
  const firstDay = cycle * length - offset + Math.floor(draw(0, length / 4));
  const drawn = purposes[Math.floor(draw(0, purposes.length))];
  if (!drawn || day < firstDay) return undefined;
  // Unique, because a series starts at most one campaign a day; later campaigns have higher ids.
  return { callsetid: FIRST_ID + firstDay * MAX_SERIES + number, purpose: drawn };
}

function figuresOn(seed: number, callsetid: number, daysAWeek: number, day: number): Figures {
  const weekday = (day + 5) % 7; // Monday is 0; day 0, 2000-01-01, was a Saturday.
  const draw = drawFor(seed, 'day', callsetid, day);
  if (draw(0, 1) < IDLE_PROBABILITY || weekday >= daysAWeek) return NO_CALLS;
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
 * Draws up to eight numbers from `low` (included) to `high` (excluded) that depend only on the keys: the order of requests
 * doesn't change the responses.
 */
export function drawFor(...keys: readonly (number | string)[]): (low: number, high: number) => number {
  const digest = hash('sha256', keys.join(' '), 'buffer');
  let next = 0;
  return (low, high) => {
    const share = digest.readUInt32LE(next) / 2 ** 32;
    next += 4;
    return low + (high - low) * share;
  };
}
