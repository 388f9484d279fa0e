import type { Command } from 'commander';
import { readEnvironment, readVariables, useUtc, useVariables } from '../../config/environment.ts';
import { changedFiles, forgetFiles } from '../../config/files-read.ts';
import { createAlertCheck } from '../../job/alerts/between-runs.ts';
import { createRetriedRuns } from '../../job/retried-runs.ts';
import type { AppContext } from '../../job/run/app-context.ts';
import { requireSchema } from '../../job/run/database.ts';
import { endingOf } from '../../job/run/ending.ts';
import { nothingUnrecorded } from '../../job/run/unrecorded.ts';
import { Failure, lineOf } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import { scheduleWarnings } from '../../schedule/expression.ts';
import { onSchedule, startTrigger, type Trigger } from '../../schedule/schedule.ts';
import { scheduledTimesOf } from '../../schedule/scheduled-times.ts';
import { startServer } from '../../server/start.ts';
import { formatList, formatScheduledTime } from '../../support/english.ts';
import { type Context, logReport, readSettings, type Settings, withApp } from '../context.ts';
import { explain } from '../explain.ts';
import { exampleOf } from '../options.ts';
import { createProgress } from '../progress/live-line.ts';

/** `schedule`: stays up and runs at every scheduled time. */
export function add(program: Command, context: Context): void {
  program
    .command('schedule')
    .description('Stay up and run at SCHEDULE; serve the page and metrics')
    .addHelpText('after', exampleOf('schedule'))
    .action(async () => {
      await keepUp(context);
      throw context.signal.reason;
    });
}

/**
 * Runs until the signal is aborted. If files that it read change, it begins again, as if it had been restarted. As long as the
 * settings are wrong then, each run is that error, and the last good ones serve the page.
 */
async function keepUp(context: Context): Promise<void> {
  const needs = { service: true };
  const unrecorded = nothingUnrecorded();
  let settings = readSettings(context, needs);
  let good: Settings | null = null;
  let wrong: Failure | null = null;

  while (!context.signal.aborted) {
    try {
      await withApp(settings, (app) => stayUp({ ...app, unrecorded }));
    } catch (error) {
      if (good === null || settings === good) throw error;
      settings = good;
      takeWrong(error);
    }
  }

  /** Resolves once the settings have changed, or once the signal is aborted and its run has ended. */
  async function stayUp(app: AppContext): Promise<void> {
    const { config, secrets } = settings;
    // Outside UTC, node-cron stalls while an hour repeats.
    useUtc();
    const schedule = { expression: config.schedule, timeZone: config.planning.timeZone };
    const scheduledTimes = scheduledTimesOf(schedule);
    if (good === null) await refuseOldSchema(app);
    const { port } = config.http;
    const nextRun = () => scheduledTimes.next(app.clock());
    const server =
      port === null
        ? null
        : await startServer(app, { ...config.http, port, token: secrets.httpToken(), nextRun });
    if (settings !== good) wrong = null;
    good = settings;
    const begin = new AbortController();
    try {
      using trigger = startTrigger(schedule, app.log);
      const now = app.clock();
      for (const warning of scheduleWarnings(schedule, now)) app.log.warn(warning);
      const time = formatScheduledTime(scheduledTimes.next(now), schedule.timeZone, now);
      app.log.info(`schedule: waiting for ${schedule.expression}, next run ${time}`);
      const checkAlerts = createAlertCheck(app, context.signal);
      const begunFor = scheduledTimes.newest(app.clock());
      const betweenRuns: Trigger = {
        async next(interval, signal) {
          await trigger.next(interval, signal);
          if (signal.aborted) return;
          const isRunDue = !scheduledTimes.newest(app.clock()).equals(begunFor);
          if (readChanges(isRunDue)) begin.abort();
          else await checkAlerts();
        },
      };
      const scheduleTime = { scheduledTimes, clock: app.clock, trigger: betweenRuns };
      const run = runnerOf(context, app, () => wrong);
      await onSchedule(scheduleTime, AbortSignal.any([context.signal, begin.signal]), run);
    } finally {
      await server?.close();
    }
  }

  /** Reads the settings again if they have changed, or before a run if they were wrong: a port may be free now. Returns whether they are right. */
  function readChanges(isRunDue: boolean): boolean {
    const changed = changedFiles();
    if (changed.length === 0 && (wrong === null || !isRunDue)) return false;
    try {
      forgetFiles();
      const variables = readVariables();
      settings = readSettings({ ...context, environment: readEnvironment(variables) }, needs);
      useVariables(variables);
      settings.log.info(`schedule: beginning again with ${formatList(changed) || 'the same settings'}`);
      return true;
    } catch (error) {
      takeWrong(error);
      return false;
    }
  }

  function takeWrong(error: unknown): void {
    if (!(error instanceof Failure)) throw error;
    if (error.message !== wrong?.message)
      settings.log.error(
        { code: error.code },
        `schedule: the settings have changed, and are wrong: ${lineOf(error)}. The page goes on with the last good ones; each run fails until they are corrected`,
      );
    wrong = error;
  }
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
function runnerOf({ live, redactor, signal }: Context, app: AppContext, wrongSettings: () => Failure | null) {
  const reporting = { ...app, onProgress: createProgress(live, app.log) };
  const doNextRun = createRetriedRuns(reporting, scheduledRun, signal, {
    retryForMs: app.config.retryForMs,
    wrongSettings,
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
