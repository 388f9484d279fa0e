import type { Progress } from '../../model/run.ts';

/** How quickly a piece of work goes, and how long it will take; null while it is unknown. */
export type Pace = { readonly perSecond: number | null; readonly secondsLeft: number | null };

/** The pace is that of the last half minute: an hour-long backfill may meet a slow hour of the service. */
const windowMs = 30_000;

/** Measures a pace from progress reports. Times are in milliseconds. */
export function createPace() {
  const marks: { readonly at: number; readonly done: number }[] = [];
  return {
    note({ done }: Progress, at: number): void {
      const last = marks.at(-1);
      // Four marks a second are enough.
      if (last === undefined || at - last.at >= 250) marks.push({ at, done });
      while (marks.length > 2 && at - marks[1]!.at > windowMs) marks.shift();
    },
    of({ done, total }: Progress, now: number): Pace {
      const first = marks[0];
      const elapsed = first === undefined ? 0 : now - first.at;
      if (first === undefined || elapsed < 1_000 || done === first.done)
        return { perSecond: null, secondsLeft: null };
      const perSecond = ((done - first.done) / elapsed) * 1_000;
      return { perSecond, secondsLeft: (total - done) / perSecond };
    },
  };
}
