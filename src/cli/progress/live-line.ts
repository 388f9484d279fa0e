import type { WriteStream } from 'node:tty';
import type { Progress } from '../../model/run.ts';
import type { Logger } from '../../support/logger.ts';
import { barLine, createPace, progressWords } from './bar.ts';

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

/** Shows the progress of one piece of work after another: a bar on a terminal, elsewhere a line of the log every ten seconds. */
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
      // It may be over before the timer fires once.
      if (isNew && live.columns !== null) draw();
    },
    /** Ends the work: its line goes. */
    end(): void {
      clearInterval(timer);
      timer = undefined;
      latest = null;
      live.clear();
    },
  };
}
