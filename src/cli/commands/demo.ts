import path from 'node:path';
import type { Command } from 'commander';
import * as demo from '../../job/demo.ts';
import { previewDigest } from '../../job/digests/preview-digest.ts';
import type { AppContext } from '../../job/run/app-context.ts';
import { openPrivateDatabase } from '../../job/run/database.ts';
import type { RunReport } from '../../job/run/run.ts';
import { Failure } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import { periodOf } from '../../model/period.ts';
import { startServer } from '../../server/start.ts';
import { aborted, systemClock } from '../../support/clock.ts';
import { readRestatedFigures } from '../../warehouse/queries/restatements.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { exampleOf } from '../options.ts';
import { describeDemo } from '../print-demo.ts';
import { createProgress } from '../progress/live-line.ts';

/** `demo`: simulator, private Postgres, five weeks of history and two nightly runs, in one command. */
export function addDemo(program: Command, context: Context): void {
  program
    .command('demo')
    .description('the simulator, a private Postgres, five weeks of history and two nightly runs')
    .option('--keep', "keep all of it running afterwards, and serve the operator's page")
    .addHelpText('after', exampleOf('demo', '--keep'))
    .action(async ({ keep }: { keep?: true }) => {
      showStep(context, 'Starting a simulated service and a private Postgres');
      const world = await demo.openDemoWorld(context.environment, systemClock());
      try {
        const settings = readSettings({ ...context, environment: world.environment }, { service: true });
        const open = () =>
          openPrivateDatabase(demo.directory, context.redactor, settings.log, demo.renewWarehouse);
        await withApp(
          settings,
          async (app, { url }) => {
            const report = await runStory(context, app, world.story);
            if (keep) return await stayUp(context, app, world, report, url);
            await printResult(context, app, world.story, report);
          },
          open,
        );
      } finally {
        await world.simulator.close();
      }
    });
}

/** Prints a step that is about to begin, in a line that stays. Prints nothing without a terminal. */
function showStep({ live }: Pick<Context, 'live'>, step: string): void {
  if (live.columns === null) return;
  live.show(step);
  live.keep();
}

/** Returns the report of the last night. Throws a Failure if a night doesn't end as the story wants. */
async function runStory(
  { live, signal }: Context,
  app: AppContext,
  story: demo.DemoStory,
): Promise<RunReport> {
  const progress = createProgress(live, app.log);
  const night = (title: string, run: typeof demo.runLastNight) => {
    showStep({ live }, title);
    return run({ ...app, onProgress: progress.report }, story, signal).finally(progress.end);
  };
  showStep({ live }, 'Loading five weeks of campaigns');
  await demo.loadHistory({ ...app, onProgress: progress.report }, story, signal).finally(progress.end);
  signal.throwIfAborted();
  const before = await night('Running the night before', demo.runQuietNight);
  const last = await night('Running the last night', demo.runLastNight);
  if (before.exitCode === exitCode.done && last.exitCode === exitCode.tokenRefused) return last;
  throw new Failure(
    'INTERNAL',
    `the nights of the demo ended with ${before.exitCode} and ${last.exitCode}, not with 0 and 77`,
    { advice: 'its log says why: set LOG_LEVEL=info' },
  );
}

async function printResult(
  { print, columns, live }: Context,
  app: AppContext,
  story: demo.DemoStory,
  report: RunReport,
  kept: Parameters<typeof describeDemo>[0]['kept'] = null,
): Promise<void> {
  const mails = [];
  for (const digest of app.config.digests) {
    const files = await previewDigest(
      app,
      digest,
      periodOf('day', story.day),
      path.join(demo.directory, 'digest'),
    );
    mails.push({ to: digest.to[0]!, page: path.resolve(files.find((file) => file.endsWith('.html'))!) });
  }
  showStep({ live }, '');
  const restated = await readRestatedFigures(app.warehouse);
  print(describeDemo({ story, report, mails, restated, kept }, columns));
}

async function stayUp(
  context: Context,
  app: AppContext,
  { service, story }: demo.DemoWorld,
  report: RunReport,
  database: string,
): Promise<void> {
  // Any free port: another process may use the one in the settings.
  const options = { host: '127.0.0.1', port: 0, token: null, names: [], nextRun: () => null };
  const server = await startServer(app, options);
  try {
    await printResult(context, app, story, report, { page: server.url, database, service });
    await aborted(context.signal);
  } finally {
    await server.close();
  }
  throw context.signal.reason;
}
