import { createTask, validate } from 'node-cron';
import { Failure } from '../model/failure.ts';
import { aborted } from '../support/aborted.ts';

export type Schedule = { readonly expression: string; readonly timeZone: string };

/** What the scheduler itself has to say; it would write to the console otherwise. */
export type ScheduleLog = {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
};

/**
 * Calls `work` at each slot of the schedule, never twice at once, until the signal is aborted.
 * Resolves when what was under way then has ended. `work` handles its own errors.
 */
export async function onSchedule(
  { expression, timeZone }: Schedule,
  log: ScheduleLog,
  signal: AbortSignal,
  work: (slot: Date) => Promise<void>,
): Promise<void> {
  if (!validate(expression)) {
    throw new Failure(
      'configuration',
      `SCHEDULE is not a cron expression (${expression})`,
      'right would be SCHEDULE="30 6 * * *"',
    );
  }
  let current: Promise<void> = Promise.resolve();
  const task = createTask(
    expression,
    (context) => {
      current = work(context.date);
      return current;
    },
    { timezone: timeZone, noOverlap: true, name: 'nightly', logger: adapt(log) },
  );
  await task.start();
  await aborted(signal);
  await task.destroy();
  await current;
}

function adapt(log: ScheduleLog) {
  return {
    info: (message: string) => log.info(message),
    warn: (message: string) => log.warn(message),
    error: (message: string | Error) => log.error(String(message)),
    debug: () => {},
  };
}
