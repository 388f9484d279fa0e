import type { Command } from 'commander';
import { useUtc } from '../../config/environment.ts';
import type { AppContext } from '../../job/run/app-context.ts';
import { requireSchema } from '../../job/run/database.ts';
import { endingOf } from '../../job/run/ending.ts';
import { createRunScheduled, type RunScheduled } from '../../job/run-scheduled.ts';
import { exitCode } from '../../model/exit-code.ts';
import type { Failure } from '../../model/failure.ts';
import { onSchedule } from '../../schedule/schedule.ts';
import { type Schedule, type ScheduledTimes, scheduledTimesOf } from '../../schedule/scheduled-times.ts';
import { startTrigger } from '../../schedule/trigger.ts';
import { scheduleWarnings } from '../../schedule/warnings.ts';
import { systemClock } from '../../support/clock.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';
import { type Context, readSettings, type Settings, withApp } from '../context.ts';
import { explain } from '../explain.ts';
import { watchedRun } from '../progress/watched-run.ts';
import { logReport } from '../report.ts';
import { withServer } from '../serve.ts';

/** `schedule`: stays up and runs at every scheduled time. */
export function addSchedule(program: Command, context: Context): void {
  program
    .command('schedule')
    .description('stay up, run at SCHEDULE in TIME_ZONE, and start a missed run immediately')
    .action(async () => {
      const settings = readSettings(context, { service: true });
      await withApp(settings, (app) => stayUp(context, settings, app));
      throw context.signal.reason;
    });
}

/** Resolves when the signal is aborted, and no run is in progress any more. */
async function stayUp(context: Context, settings: Settings, app: AppContext): Promise<void> {
  // node-cron stalls while local time repeats an hour.
  useUtc();
  const { signal } = context;
  const schedule = {
    expression: settings.config.schedule,
    timeZone: settings.config.planning.timeZone,
  };
  const scheduledTimes = scheduledTimesOf(schedule);
  await refuseOldSchema(app);
  const reportError = reportingOnce(context, app);
  const runScheduled = createRunScheduled(app, signal, (report) => logReport(app.log, report));
  const run = (scheduledFor: Temporal.Instant) =>
    runOrReport(context, runScheduled, scheduledFor, reportError);
  const nextRun = () => scheduledTimes.next(systemClock());
  await withServer(settings, app, nextRun, async () => {
    using trigger = startTrigger(schedule, app.log);
    logStart(app, schedule, scheduledTimes);
    await onSchedule({ scheduledTimes, clock: systemClock, trigger }, signal, run);
  });
}

function logStart(
  { log }: Pick<AppContext, 'log'>,
  schedule: Schedule,
  scheduledTimes: ScheduledTimes,
): void {
  const now = systemClock();
  for (const warning of scheduleWarnings(schedule, scheduledTimes, now)) log.warn(warning);
  const next = scheduledTimes.next(now).toZonedDateTimeISO(schedule.timeZone);
  const time = next.toString({ smallestUnit: 'minute' });
  log.info(`schedule: waiting for ${schedule.expression} in ${schedule.timeZone}, next run at ${time}`);
}

/** An unreachable database may become reachable; an old schema stays old until somebody migrates, and fails at once. */
async function refuseOldSchema({ warehouse }: Pick<AppContext, 'warehouse'>): Promise<void> {
  try {
    await requireSchema(warehouse);
  } catch (error) {
    if (endingOf(error).exitCode !== exitCode.unavailable) throw error;
  }
}

/** Errors are logged and left to the next scheduled time: a container that ends would only be started anew. */
async function runOrReport(
  { live }: Context,
  runScheduled: RunScheduled,
  scheduledFor: Temporal.Instant,
  reportError: ReportError,
): Promise<boolean> {
  try {
    return await watchedRun(live, (onProgress) => runScheduled(scheduledFor, onProgress));
  } catch (error) {
    reportError(scheduledFor, error);
    // An unreachable database is worth another attempt soon; everything else would fail again.
    const { kind } = warehouseFailure(error) ?? (error as Partial<Failure>);
    return kind !== 'warehouse unavailable';
  }
}

type ReportError = (scheduledFor: Temporal.Instant, error: unknown) => void;

/** Logs an error, and only once while attempt after attempt at a scheduled time fails in the same way. */
function reportingOnce({ redactor, signal }: Context, { log }: Pick<AppContext, 'log'>): ReportError {
  let last = '';
  return (scheduledFor, error) => {
    const { lines } = explain(error, redactor);
    const current = `${scheduledFor} ${lines.join()}`;
    if (!signal.aborted && current !== last) for (const line of lines) log.error(line);
    last = current;
  };
}
