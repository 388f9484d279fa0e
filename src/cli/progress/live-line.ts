import type { WriteStream } from 'node:tty';
import type { OnProgress, OnRunProgress, Progress, RunProgress } from '../../model/run.ts';
import type { Logger } from '../../support/logger.ts';
import { barLine, createPace, progressWords, runWords } from './bar.ts';

/** One line of a terminal that is written over and over; nothing at all elsewhere. */
export type LiveLine = {
  /** How wide the terminal is; null where there is none. */
  readonly columns: number | null;
  show(text: string): void;
  /** Takes the line away, so that something lasting can be written in its place. */
  clear(): void;
  /** Leaves the line as it is; further output is written below it. */
  keep(): void;
};

const clearLine = '\r\u001B[2K';

/** @param terminal `TERM`: a `dumb` one can't take a line away */
export function createLiveLine(stream: WriteStream, terminal?: string): LiveLine {
  let shown = false;
  const end = (ending: string) => {
    if (shown) stream.write(ending);
    shown = false;
  };
  return {
    get columns() {
      // Some terminals report a width of 0 where they don't know it.
      return stream.isTTY && terminal !== 'dumb' ? stream.columns || 80 : null;
    },
    show(text) {
      stream.write(`${clearLine}${text}`);
      shown = true;
    },
    clear: () => end(clearLine),
    keep: () => end('\n'),
  };
}

const redrawMs = 200;
const logMs = 10_000;

/** Does `work` and shows its progress: a bar on a terminal, elsewhere a line of the log every ten seconds. */
export async function showProgress<T>(
  live: LiveLine,
  log: Logger,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const pace = createPace();
  let latest: Progress | null = null;
  const draw = () => {
    if (latest === null) return;
    const words = progressWords(latest, pace.of(latest, performance.now()));
    const share = latest.total === 0 ? 1 : latest.done / latest.total;
    if (live.columns === null) log.info(latest, words.join(', ').trimStart());
    else live.show(barLine(share, words, live.columns));
  };
  const timer = setInterval(draw, live.columns === null ? logMs : redrawMs);
  try {
    return await work((progress) => {
      latest = progress;
      pace.record(progress, performance.now());
    });
  } finally {
    clearInterval(timer);
    draw();
    live.keep();
  }
}

/** Does the work of a run and shows its progress on a terminal; elsewhere the log shows it. */
export async function showRunProgress<T>(
  live: LiveLine,
  work: (onProgress: OnRunProgress) => Promise<T>,
): Promise<T> {
  if (live.columns === null) return await work(() => {});
  let latest: RunProgress | null = null;
  let pace = createPace();
  const draw = () => {
    if (latest === null) return;
    const words = runWords(latest, pace.of(amountOf(latest), performance.now()));
    live.show(barLine(latest.share, words, live.columns ?? 0));
  };
  const timer = setInterval(draw, redrawMs);
  try {
    return await work((progress) => {
      const stepChanged = progress.step !== latest?.step;
      // Pages and windows have different paces.
      if (stepChanged) pace = createPace();
      latest = progress;
      pace.record(amountOf(progress), performance.now());
      // A step may be over before the timer fires once.
      if (stepChanged) draw();
    });
  } finally {
    clearInterval(timer);
    live.clear();
  }
}

const amountOf = ({ share }: RunProgress) => ({ done: share ?? 0, total: 1 });
