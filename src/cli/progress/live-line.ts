import type { WriteStream } from 'node:tty';
import type { Progress } from '../../model/run.ts';
import type { Logger } from '../../support/logger.ts';
import { barLine, createPace, progressWords } from './bar.ts';

/** A line of a terminal that is overwritten again and again. Not used without a terminal. */
export type LiveLine = {
  /** Width of the terminal; null if there is none, or if it can't erase a line. */
  readonly columns: number | null;
  show(text: string): void;
  /** Erases the line, so that permanent output can take its place. */
  clear(): void;
  /** Leaves the line as it is; further output is written below it. */
  keep(): void;
};

const clearLine = '\r\u001B[2K';

/** @param terminal `TERM`: a `dumb` one can't erase a line */
export function createLiveLine(stream: WriteStream, terminal?: string): LiveLine {
  let shown = false;
  const end = (ending: string) => {
    if (shown) stream.write(ending);
    shown = false;
  };
  return {
    get columns() {
      // Some terminals report a width of 0 if they don't know it.
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

/** Shows the progress of one piece of work after another: a bar on a terminal, else log lines. */
export function createProgress(live: LiveLine, log: Logger) {
  let pace = createPace();
  let latest: Progress | null = null;
  let timer: NodeJS.Timeout | undefined;
  function draw(): void {
    if (latest === null) return;
    const { done, total } = latest;
    const words = progressWords(latest, pace.of(latest, performance.now()));
    if (live.columns === null) log.info(latest, words.join(', ').trimStart());
    else live.show(barLine(total === null ? null : done / (total || 1), words, live.columns));
  }
  return {
    report(progress: Progress): void {
      // Pages and windows have different paces.
      const isNew = progress.unit !== latest?.unit;
      if (isNew) pace = createPace();
      latest = progress;
      pace.record(progress, performance.now());
      timer ??= setInterval(draw, live.columns === null ? logMs : redrawMs);
      // The work may be over before the timer fires.
      if (isNew && live.columns !== null) draw();
    },
    /** Ends the work and erases its line. */
    end(): void {
      clearInterval(timer);
      timer = undefined;
      latest = null;
      live.clear();
    },
  };
}
