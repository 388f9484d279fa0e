import type { Progress } from '../../model/progress.ts';
import type { Pace } from './pace.ts';

const widest = 40;
const inFigures = new Intl.NumberFormat('en').format;

/** A bar and what it means, in one line of less than `columns` characters: what doesn't fit is left out from the end. */
export function progressBar(progress: Progress, pace: Pace, columns: number): string {
  const share = progress.total === 0 ? 1 : progress.done / progress.total;
  return barLine(share, words(progress, pace), columns);
}

/** The same for any share and words; an unknown share leaves the bar empty. */
export function barLine(share: number | null, words: readonly string[], columns: number): string {
  const percent = (share === null ? '' : `${Math.floor(share * 100)}%`).padStart(4);
  // The last column stays empty: a terminal may wrap a line that fills it.
  const room = Math.max(0, columns - 1);
  const width = Math.min(widest, Math.floor(room / 3));
  let line = `${bar(share ?? 0, width)} ${percent}`;
  for (const [index, word] of words.entries()) {
    const longer = `${line}${index === 0 ? '  ' : ' · '}${word}`;
    if (longer.length > room) break;
    line = longer;
  }
  return line.slice(0, room);
}

/** A thick line over a thin one, by halves: it shows without colours, and without gaps in any font. */
function bar(share: number, width: number): string {
  const halves = Math.floor(share * width * 2);
  return `${'━'.repeat(halves >> 1)}${halves % 2 === 1 ? '╾' : ''}`.padEnd(width, '─');
}

/** `120 of 3,650 windows, 3 failed, 52 a second, 1 min 8 s left` */
export function progressWords(progress: Progress, pace: Pace): string {
  return words(progress, pace).join(', ').trimStart();
}

/** The first of them as wide as it will ever be, so that what follows stays where it is. */
function words({ done, total, failed }: Progress, { perSecond, secondsLeft }: Pace): string[] {
  const all = inFigures(total);
  return [
    `${inFigures(done).padStart(all.length)} of ${all} windows`,
    ...(failed > 0 ? [`${inFigures(failed)} failed`] : []),
    ...(perSecond === null ? [] : [`${rate(perSecond)} a second`]),
    ...(secondsLeft === null || done === total ? [] : [`${duration(secondsLeft)} left`]),
  ];
}

function rate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : inFigures(Math.round(perSecond));
}

/** `1,204 rows`, `1 row` */
export function count(number: number, what: string): string {
  return `${inFigures(number)} ${what}${number === 1 ? '' : 's'}`;
}

/** Seconds in the two greatest units that they have. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${inFigures(Math.floor(whole / 3_600))} h ${Math.floor((whole % 3_600) / 60)} min`;
}
