import type { Progress } from '../../model/run.ts';
import { formatCount, formatCountOf, formatDuration } from '../../support/english.ts';
import { stderrPaint } from '../../support/paint.ts';

type Amount = Pick<Progress, 'done' | 'total'>;

/** Speed and remaining time of a piece of work; null while unknown. */
export type Pace = {
  readonly perSecond: number | null;
  readonly secondsLeft: number | null;
};

export const unknownPace: Pace = { perSecond: null, secondsLeft: null };

/** Only the last half minute counts: a long backfill may meet a slow hour of the service. */
const paceMs = 30_000;

/** Measures a pace from progress reports. Timestamps are in milliseconds. */
export function createPace() {
  const marks: { readonly at: number; readonly done: number }[] = [];
  return {
    record({ done }: Amount, at: number): void {
      const last = marks.at(-1);
      // Four marks a second are enough.
      if (last === undefined || at - last.at >= 250) marks.push({ at, done });
      while (marks.length > 2 && at - marks[1]!.at > paceMs) marks.shift();
    },
    of({ done, total }: Amount, now: number): Pace {
      const first = marks[0];
      if (first === undefined || now - first.at < 1_000 || done === first.done) return unknownPace;
      const perSecond = ((done - first.done) / (now - first.at)) * 1_000;
      return { perSecond, secondsLeft: total === null ? null : (total - done) / perSecond };
    },
  };
}

const maxWidth = 40;

/**
 * A bar and words in one line, shorter than `columns`. Words that don't fit are dropped from the end.
 * If the share is null, the bar is empty.
 */
export function barLine(share: number | null, words: readonly string[], columns: number): string {
  const percent = (share === null ? '' : `${Math.floor(share * 100)}%`).padStart(4);
  // The last column stays empty: a terminal may wrap a line that fills it.
  const room = Math.max(0, columns - 1);
  let line = `${bar(share ?? 0, Math.min(maxWidth, Math.floor(room / 3)))} ${percent}`;
  for (const [index, word] of words.entries()) {
    const longer = `${line}${index === 0 ? '  ' : ' · '}${word}`;
    if (longer.length > room) break;
    line = longer;
  }
  return line
    .slice(0, room)
    .replace(/^[━╾]+/, (done) => stderrPaint.good(done))
    .replace(/[\d,]+ failed/, (failed) => stderrPaint.bad(failed));
}

/** A thick line on a thin one, in half characters. It needs no colours and has no gaps in any font. */
function bar(share: number, width: number): string {
  const halves = Math.floor(share * width * 2);
  return `${'━'.repeat(halves >> 1)}${halves % 2 === 1 ? '╾' : ''}`.padEnd(width, '─');
}

/** `120 of 3,650 windows`, `3 failed`, `52 a second`, `1 min 8 s left`: the most important first. */
export function progressWords({ unit, done, total, failed }: Progress, pace: Pace): string[] {
  const words = [total === null ? formatCountOf(done, unit) : share(done, total, unit)];
  if (failed > 0) words.push(`${formatCount(failed)} failed`);
  if (pace.perSecond !== null) {
    const tenths = pace.perSecond.toFixed(1);
    words.push(`${Number(tenths) < 10 ? tenths : formatCount(Math.round(pace.perSecond))} a second`);
  }
  if (pace.secondsLeft !== null && done !== total)
    words.push(`${formatDuration(Math.ceil(pace.secondsLeft) * 1_000)} left`);
  return words;
}

/** Pads to the final width, so that the words after it don't move. */
function share(done: number, total: number, unit: string): string {
  return `${formatCount(done).padStart(formatCount(total).length)} of ${formatCountOf(total, unit)}`;
}
