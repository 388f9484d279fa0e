import type { WriteStream } from 'node:tty';
import type { OnProgress, Progress } from '../../model/run.ts';
import type { Logger } from '../../support/logger.ts';
import { barLine, createPace, progressWords, unknownPace } from './bar.ts';

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

/** Shows the progress of a run: a bar on a terminal, else log lines. What runs at the same time shares the line. */
export function createProgress(live: LiveLine, log: Logger): OnProgress {
  const works = new Map<string, { readonly pace: ReturnType<typeof createPace>; latest: Progress }>();
  let timer: NodeJS.Timeout | undefined;
  // A mail that waits for its server stays where it is.
  let logged = '';

  function draw(): void {
    const all = [...works.values()];
    const open = all.filter(({ latest }) => latest.done !== latest.total);
    // Windows get the bar: digests wait for them.
    const main = open.find(({ latest }) => latest.unit === 'window') ?? open[0] ?? all.at(-1);
    if (main === undefined) return;
    const { done, total } = main.latest;
    const words = [
      ...progressWords(main.latest, main.pace.of(main.latest, performance.now())),
      ...open.filter((work) => work !== main).map(({ latest }) => progressWords(latest, unknownPace)[0]!),
    ];
    if (live.columns !== null) {
      live.show(barLine(total === null ? null : done / (total || 1), words, live.columns));
      return;
    }
    const line = words.join(', ').trimStart();
    if (line !== logged) log.info(main.latest, line);
    logged = line;
  }

  function end(): void {
    clearInterval(timer);
    timer = undefined;
    logged = '';
    works.clear();
    live.clear();
  }

  return (progress) => {
    if (progress === null) {
      end();
      return;
    }
    const known = works.get(progress.unit);
    const pace = known?.pace ?? createPace();
    works.set(progress.unit, { pace, latest: progress });
    pace.record(progress, performance.now());
    timer ??= setInterval(draw, live.columns === null ? logMs : redrawMs);
    // The work may be over before the timer fires.
    if (known === undefined && live.columns !== null) draw();
  };
}
