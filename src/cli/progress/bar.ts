import type { Progress, RunProgress } from '../../model/run.ts';
import { formatCount, formatCountOf, formatDuration } from '../../support/english.ts';

type Amount = Pick<Progress, 'done' | 'total'>;

/** How quickly a piece of work goes, and how long it will take; null while it is unknown. */
export type Pace = {
  readonly perSecond: number | null;
  readonly secondsLeft: number | null;
};

/** The pace is that of the last half minute: an hour-long backfill may meet a slow hour of the service. */
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
      if (first === undefined || now - first.at < 1_000 || done === first.done)
        return { perSecond: null, secondsLeft: null };
      const perSecond = ((done - first.done) / (now - first.at)) * 1_000;
      return { perSecond, secondsLeft: (total - done) / perSecond };
    },
  };
}

const maxWidth = 40;

/**
 * A bar and words in one line of less than `columns` characters: words that don't fit are left out from the end.
 * An unknown share leaves the bar empty.
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
  return line.slice(0, room);
}

/** A thick line over a thin one, by halves: it shows without colours, and without gaps in any font. */
function bar(share: number, width: number): string {
  const halves = Math.floor(share * width * 2);
  return `${'━'.repeat(halves >> 1)}${halves % 2 === 1 ? '╾' : ''}`.padEnd(width, '─');
}

/** `120 of 3,650 windows`, `3 failed`, `52 a second`, `1 min 8 s left`: the most important first. */
export function progressWords({ done, total, failed }: Progress, pace: Pace): string[] {
  const all = formatCount(total);
  const words = [
    // As wide as it will ever be, so that what follows stays where it is.
    `${formatCount(done).padStart(all.length)} of ${formatCountOf(total, 'window')}`,
  ];
  if (failed > 0) words.push(`${formatCount(failed)} failed`);
  if (pace.perSecond !== null) words.push(`${formatRate(pace.perSecond)} a second`);
  return done < total ? [...words, ...timeLeft(pace)] : words;
}

function formatRate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond));
}

function timeLeft({ secondsLeft }: Pick<Pace, 'secondsLeft'>): string[] {
  return secondsLeft === null ? [] : [`${formatDuration(Math.ceil(secondsLeft) * 1_000)} left`];
}

/** The same of a run, by its step: `3 of 12 windows`, `4 s left`, `1,204 rows`, `31 pages of clients`. */
export function runWords(progress: RunProgress, pace: Pick<Pace, 'secondsLeft'>): string[] {
  const { step, share, windows, windowsDue, windowsFailed, mails, mailsOpen, rows } = progress;
  const pages = `${formatCountOf(progress.pages, 'page')} of clients`;
  const left = share === 1 ? [] : timeLeft(pace);
  const loaded = [];
  if (windowsFailed > 0) loaded.push(`${windowsFailed} failed`);
  if (rows > 0) loaded.push(formatCountOf(rows, 'row'));
  if (step === 'clients') return [pages, ...left];
  if (step === 'windows') {
    const synced = windowsDue === null ? 'planning' : `${windows} of ${formatCountOf(windowsDue, 'window')}`;
    return [synced, ...left, ...loaded, pages];
  }
  const done = [formatCountOf(windows, 'window'), ...loaded, pages];
  if (step !== 'mail') return [step, ...done];
  const mailed = mailsOpen === null ? 'no mail' : `${mails} of ${formatCountOf(mailsOpen, 'mail')}`;
  return [mailed, ...left, ...done];
}
