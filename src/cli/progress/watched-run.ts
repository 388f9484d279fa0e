import type { OnRunProgress, RunProgress } from '../../model/run.ts';
import { formatCountOf, formatDuration } from '../../support/english.ts';
import type { LiveLine } from '../../support/live-line.ts';
import { createPace } from './pace.ts';
import { barLine } from './progress-bar.ts';

const redrawMs = 200;
/** A share as a pace measures it. */
const whole = 10_000;

/** Does the work of a run, and shows its progress on a terminal; elsewhere the log shows it. */
export async function watchedRun<T>(
  live: LiveLine,
  work: (onProgress: OnRunProgress) => Promise<T>,
): Promise<T> {
  let latest: RunProgress | null = null;
  let pace = createPace();
  const draw = () => {
    if (latest === null || live.columns === null) return;
    const left = pace.of(doneOf(latest), performance.now()).secondsLeft;
    live.show(barLine(latest.share, runWords(latest, left), live.columns));
  };
  const timer = setInterval(draw, redrawMs);
  try {
    return await work((progress) => {
      const stepChanged = progress.step !== latest?.step;
      // Pages and windows have different paces.
      if (stepChanged) pace = createPace();
      latest = progress;
      pace.note(doneOf(progress), performance.now());
      // A step may be over before the timer fires once.
      if (stepChanged) draw();
    });
  } finally {
    clearInterval(timer);
    live.clear();
  }
}

const doneOf = ({ share }: RunProgress) => ({ done: (share ?? 0) * whole, total: whole, failed: 0 });

/** The words of the line, the most important first: `3 of 12 windows`, `4 s left`, `1,204 rows`. */
export function runWords(progress: RunProgress, secondsLeft: number | null): string[] {
  const { step, windows, windowsDue, mails, mailsOpen, rows } = progress;
  const pages = `${formatCountOf(progress.pages, 'page')} of clients`;
  const left =
    secondsLeft === null || progress.share === 1
      ? []
      : [`${formatDuration(Math.ceil(secondsLeft) * 1_000)} left`];
  const failed = progress.windowsFailed > 0 ? [`${progress.windowsFailed} failed`] : [];
  const loaded = [...failed, ...(rows > 0 ? [formatCountOf(rows, 'row')] : [])];
  if (step === 'clients') return [pages, ...left];
  if (step === 'windows') {
    const result = windowsDue === null ? 'planning' : `${windows} of ${formatCountOf(windowsDue, 'window')}`;
    return [result, ...left, ...loaded, pages];
  }
  const done = [formatCountOf(windows, 'window'), ...loaded, pages];
  if (step !== 'mail') return [step, ...done];
  return [
    mailsOpen === null ? 'no mail' : `${mails} of ${formatCountOf(mailsOpen, 'mail')}`,
    ...left,
    ...done,
  ];
}
