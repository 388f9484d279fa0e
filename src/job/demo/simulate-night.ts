import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Environment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { OnProgress } from '../../model/run.ts';
import type { PlayedStory, StoryEvent } from '../../simulator/story.ts';
import { createLogger } from '../../support/logger.ts';
import { createRedactor } from '../../support/redaction.ts';
import { retriedRun } from '../retried-runs.ts';
import { type AppContext, createContext } from '../run/app-context.ts';
import type { RunReport } from '../run/run.ts';

/** A night as Callsheet meets it. It can be passed to a worker. */
export type Night = {
  readonly environment: Environment;
  readonly databaseUrl: string;
  /** The start of the run, an instant. */
  readonly startsAt: string;
  readonly events: readonly StoryEvent[];
};

/**
 * Lives through a night of a story: the run and all its retries, on a clock that is moved from one to the next. A killed
 * run is started again, as a supervisor does. Returns the report of the last run; null if the machine is off.
 *
 * @param onKilled resolves before that
 */
export async function simulateNight(
  night: Night,
  startNight: (outside: NonNullable<Parameters<PlayedStory['startNight']>[1]>) => void,
  onProgress: OnProgress,
  signal: AbortSignal,
  onKilled: () => Promise<void> = async () => {},
): Promise<RunReport | null> {
  if (night.events.some(({ event }) => event === 'no run')) return null;
  if (night.events.some(({ event }) => event === 'killed')) {
    const worker = new Worker(new URL('./killed-night.ts', import.meta.url), { workerData: night });
    const startsAt = Temporal.Instant.from(night.startsAt);
    startNight({ clock: () => startsAt, kill: () => worker.terminate() });
    await once(worker, 'exit');
    // The database frees its lock a little later than its process ends.
    await withClock(night, async ({ takeRunLock }) => {
      for (;;) {
        const lock = await takeRunLock();
        if (lock !== null) return await lock.release();
      }
    });
    await onKilled();
  }
  return await withClock(night, async (app, clock, wait) => {
    startNight({ clock, kill: () => {} });
    return await runUntilDone({ ...app, onProgress }, wait, signal);
  });
}

type Wait = (ms: number) => Promise<void>;

/** Does `work` with the app context of a night, and a clock that only `wait` moves. */
export async function withClock<T>(
  { environment, databaseUrl, startsAt, events }: Night,
  work: (app: AppContext, clock: () => Temporal.Instant, wait: Wait) => Promise<T>,
): Promise<T> {
  let now = Temporal.Instant.from(startsAt);
  const clock = () => now;
  const wait = async (ms: number) => {
    now = now.add({ milliseconds: ms });
  };
  const redactor = createRedactor();
  const loaded = loadConfig(environment, { service: true }, redactor);
  const { level, format } = loaded.config.log;
  const app = createContext(loaded, databaseUrl, createLogger(level, format, redactor), clock);
  const mailer = () => injectMailFaults(app.mailer(), events);
  try {
    return await work({ ...app, mailer }, clock, wait);
  } finally {
    await app.warehouse.destroy();
  }
}

const request = { command: 'demo', days: null, accounts: null, digest: true, scheduledFor: null };

export const runUntilDone = (app: AppContext, wait: Wait, signal: AbortSignal): Promise<RunReport> =>
  retriedRun(app, request, signal, { retryForMs: app.config.retryForMs, wait });

function injectMailFaults(mailer: Mailer, events: readonly StoryEvent[]): Mailer {
  const isDown = events.some(({ event }) => event === 'mail server down');
  const refused = events.flatMap((event) => (event.event === 'recipient refused' ? [event.recipient] : []));
  return {
    ...mailer,
    reach: async (signal) =>
      isDown
        ? { state: 'failed', reply: 'connect ECONNREFUSED 192.0.2.25:587', step: 'connection', code: null }
        : await mailer.reach(signal),
    send: async (message, signal) =>
      refused.includes(message.recipient)
        ? { state: 'failed', reply: '550 5.1.1 mailbox unavailable', step: 'recipient', code: 550 }
        : await mailer.send(message, signal),
  };
}
