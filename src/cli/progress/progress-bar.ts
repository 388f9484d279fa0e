import type { Progress } from '../../model/run.ts';
import { formatCount, formatDuration } from '../../support/english.ts';
import type { Pace } from './pace.ts';

const widest = 40;

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
  const all = formatCount(total);
  return [
    `${formatCount(done).padStart(all.length)} of ${all} windows`,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(perSecond === null ? [] : [`${rate(perSecond)} a second`]),
    ...(secondsLeft === null || done === total
      ? []
      : [`${formatDuration(Math.ceil(secondsLeft) * 1_000)} left`]),
  ];
}

function rate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond));
}
