import type { OnProgress, Progress } from '../../model/run.ts';
import type { LiveLine } from '../../support/live-line.ts';
import type { Logger } from '../../support/logger.ts';
import { createPace } from './pace.ts';
import { progressBar, progressWords } from './progress-bar.ts';

const redrawMs = 200;
const logMs = 10_000;

/** Does `work` and shows its progress: a bar on a terminal, elsewhere a line of the log every ten seconds. */
export async function watched<T>(
  live: LiveLine,
  log: Logger,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const pace = createPace();
  let latest: Progress | null = null;
  const draw = () => {
    if (latest === null) return;
    const now = pace.of(latest, performance.now());
    if (live.columns !== null) live.show(progressBar(latest, now, live.columns));
    else log.info(latest, progressWords(latest, now));
  };
  const timer = setInterval(draw, live.columns === null ? logMs : redrawMs);
  try {
    return await work((progress) => {
      latest = progress;
      pace.note(progress, performance.now());
    });
  } finally {
    clearInterval(timer);
    draw();
    live.keep();
  }
}
