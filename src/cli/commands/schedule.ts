import type { Command } from 'commander';
import { useUtc } from '../../config/environment.ts';
import { createAlertCheck, createFileChangeReport } from '../../job/alerts/between-runs.ts';
import { createRetriedRuns } from '../../job/retried-runs.ts';
import type { AppContext } from '../../job/run/app-context.ts';
import { requireSchema } from '../../job/run/database.ts';
import { endingOf } from '../../job/run/ending.ts';
import { exitCode } from '../../model/exit-code.ts';
import { scheduleWarnings } from '../../schedule/expression.ts';
import { onSchedule, startTrigger, type Trigger } from '../../schedule/schedule.ts';
import { type Schedule, type ScheduledTimes, scheduledTimesOf } from '../../schedule/scheduled-times.ts';
import { startServer } from '../../server/start.ts';
import { type Context, logReport, readSettings, type Settings, withApp } from '../context.ts';
import { explain } from '../explain.ts';
import { exampleOf } from '../options.ts';
import { createProgress } from '../progress/live-line.ts';

/** `schedule`: stays up and runs at every scheduled time. */
export function addSchedule(program: Command, context: Context): void {
  program
    .command('schedule')
    .description('Stay up and run at SCHEDULE; serve the page and metrics')
    .addHelpText('after', exampleOf('schedule'))
    .action(async () => {
      const settings = readSettings(context, { service: true });
      await withApp(settings, (app) => stayUp(context, settings, app));
      throw context.signal.reason;
    });
}

/** Resolves once the signal is aborted and its run has ended. */
async function stayUp(context: Context, settings: Settings, app: AppContext): Promise<void> {
  const { config, secrets } = settings;
  // Outside UTC, node-cron stalls while an hour repeats.
  useUtc();
  const schedule = { expression: config.schedule, timeZone: config.planning.timeZone };
  const scheduledTimes = scheduledTimesOf(schedule);
  await refuseOldSchema(app);
  const { port } = config.http;
  const nextRun = () => scheduledTimes.next(app.clock());
  const server =
    port === null
      ? null
      : await startServer(app, { ...config.http, port, token: secrets.httpToken(), nextRun });
  const fileChanges = createFileChangeReport(app, settings.changedFiles);
  try {
    using trigger = startTrigger(schedule, app.log);
    logStart(app, schedule, scheduledTimes);
    await fileChanges.report();
    const checkAlerts = createAlertCheck(app, context.signal);
    const betweenRuns: Trigger = {
      async next(interval, signal) {
        await trigger.next(interval, signal);
        if (signal.aborted) return;
        await fileChanges.report();
        await checkAlerts();
      },
    };
    const time = { scheduledTimes, clock: app.clock, trigger: betweenRuns };
    await onSchedule(time, context.signal, runnerOf(context, app));
  } finally {
    await fileChanges.end();
    await server?.close();
  }
}

function logStart({ log, clock }: AppContext, schedule: Schedule, scheduledTimes: ScheduledTimes): void {
  const now = clock();
  for (const warning of scheduleWarnings(schedule, now)) log.warn(warning);
  const next = scheduledTimes.next(now).toZonedDateTimeISO(schedule.timeZone);
  const time = next.toString({ smallestUnit: 'minute' });
  log.info(`schedule: waiting for ${schedule.expression} in ${schedule.timeZone}, next run at ${time}`);
}

/**
 * Throws if the schema is old or the database refuses us: a person must act. An unreachable database may come
 * back.
 */
async function refuseOldSchema({ warehouse }: AppContext): Promise<void> {
  try {
    await requireSchema(warehouse);
  } catch (error) {
    if (endingOf(error).exitCode !== exitCode.unavailable) throw error;
  }
}

const scheduledRun = { command: 'schedule', days: null, accounts: null, digest: true };

/**
 * Creates a function that runs for a scheduled time and returns when to look at it again. It logs the error that ended the
 * last run instead of throwing it: a container that ends would only be restarted.
 */
function runnerOf({ live, redactor, signal }: Context, app: AppContext) {
  const reporting = { ...app, onProgress: createProgress(live, app.log) };
  const doNextRun = createRetriedRuns(reporting, scheduledRun, signal, {
    retryForMs: app.config.retryForMs,
    report: (report) => logReport(app.log, report),
  });
  return async (scheduledFor: Temporal.Instant): Promise<'done' | Temporal.Instant> => {
    try {
      return await doNextRun(scheduledFor);
    } catch (error) {
      if (!signal.aborted) for (const line of explain(error, redactor).lines) app.log.error(line);
      return 'done';
    }
  };
}
