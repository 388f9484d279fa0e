import type { Rhythm } from './campaign-kinds.ts';
import { dayNumber, type PlannedCampaign } from './campaign-plan.ts';
import { draw, drawBetween } from './random.ts';

/** Counts of calls. Always: busies + connects + noanswers ≤ attempts, liveanswers ≤ connects. */
export type Figures = {
  readonly attempts: number;
  readonly busies: number;
  readonly connects: number;
  readonly liveanswers: number;
  readonly noanswers: number;
};

/** How far the calling has come: `share` (0 to 1) of `today`'s calls are made, and none of a later day's. */
export type Progress = { readonly today: number; readonly share: number };

const NOTHING: Figures = { attempts: 0, busies: 0, connects: 0, liveanswers: 0, noanswers: 0 };

/** Days of the week on which each rhythm calls, counted from Monday. */
const DAYS_A_WEEK: Readonly<Record<Rhythm, number>> = { weekdays: 5, 'six-days': 6, daily: 7 };

/** Calls by day of the week, Monday first: it opens strong, and weekends are quiet. */
const WEEKDAY_LOAD = [1.12, 1.05, 1, 1, 0.85, 0.4, 0.25];

/** Now and then a campaign has a day without calls in its midst. */
const REST = 0.04;

/** The progress at a moment: by UTC's calendar, growing each hour, whole only once the day is over. */
export function progressAt(moment: Temporal.Instant): Progress {
  const clock = moment.toZonedDateTimeISO('UTC');
  return { today: dayNumber(clock.toPlainDate()), share: (clock.hour + 1) / 25 };
}

/** A campaign's counts over a range of day numbers, both ends included: the sum of its days. */
export function figuresBetween(
  seed: number,
  campaign: PlannedCampaign,
  fromDay: number,
  toDay: number,
  progress: Progress,
): Figures {
  let total = NOTHING;
  const last = Math.min(toDay, campaign.lastDay, progress.today);
  for (let day = Math.max(fromDay, campaign.firstDay, 0); day <= last; day += 1) {
    const whole = figuresOfDay(seed, campaign, day);
    total = add(total, day === progress.today ? partOf(whole, progress.share) : whole);
  }
  return total;
}

function figuresOfDay(seed: number, campaign: PlannedCampaign, day: number): Figures {
  const { callsetid } = campaign;
  const weekday = (day + 5) % 7; // Monday is 0; day 0, 2000-01-01, was a Saturday.
  if (weekday >= DAYS_A_WEEK[campaign.rhythm]) return NOTHING;
  if (draw(seed, 'rest', callsetid, day) < REST) return NOTHING;
  const size = 80 + 4_000 * draw(seed, 'size', callsetid) ** 2;
  const swing = drawBetween(0.8, 1.2, seed, 'attempts', callsetid, day);
  const reach = drawBetween(0.4, 0.7, seed, 'reach', callsetid);
  const attempts = Math.round(size * (WEEKDAY_LOAD[weekday] ?? 1) * swing);
  const connects = Math.floor(
    attempts * (reach + drawBetween(-0.05, 0.05, seed, 'connects', callsetid, day)),
  );
  const rest = attempts - connects;
  const busies = Math.floor(rest * drawBetween(0.1, 0.3, seed, 'busies', callsetid, day));
  return {
    attempts,
    busies,
    connects,
    liveanswers: Math.floor(connects * drawBetween(0.35, 0.65, seed, 'live', callsetid, day)),
    noanswers: Math.floor((rest - busies) * drawBetween(0.6, 0.95, seed, 'none', callsetid, day)),
  };
}

// Rounding each count down keeps the sums within bounds: ⌊a⌋ + ⌊b⌋ ≤ ⌊a + b⌋.
function partOf(figures: Figures, share: number): Figures {
  return {
    attempts: Math.floor(figures.attempts * share),
    busies: Math.floor(figures.busies * share),
    connects: Math.floor(figures.connects * share),
    liveanswers: Math.floor(figures.liveanswers * share),
    noanswers: Math.floor(figures.noanswers * share),
  };
}

function add(a: Figures, b: Figures): Figures {
  return {
    attempts: a.attempts + b.attempts,
    busies: a.busies + b.busies,
    connects: a.connects + b.connects,
    liveanswers: a.liveanswers + b.liveanswers,
    noanswers: a.noanswers + b.noanswers,
  };
}
