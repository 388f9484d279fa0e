import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { wholeNumber } from '../../config/formats.ts';
import * as demo from '../../job/demo/demo-world.ts';
import type { AppContext } from '../../job/run/app-context.ts';
import { openPrivateDatabase } from '../../job/run/database.ts';
import { createApp } from '../../server/app.ts';
import { startServer } from '../../server/start.ts';
import { aborted, systemClock } from '../../support/clock.ts';
import { asTyped } from '../../support/commands.ts';
import { stderrPaint } from '../../support/paint.ts';
import { currentUrl } from '../../warehouse/db/connection.ts';
import { readRestatedFigures } from '../../warehouse/queries/restatements.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { exampleOf, optionOf } from '../options.ts';
import { demoTable, describeDemo } from '../print-demo.ts';
import { createProgress } from '../progress/live-line.ts';

const { length: allNights } = demo.demoStory.nights;

/** `demo`: simulator, private Postgres, five weeks of history and the last nights of a story, in one command. */
export function add(program: Command, context: Context): void {
  program
    .command('demo')
    .description('Show everything at once: five weeks of data and a bad night')
    .option('--nights <N>', `the last N of ${allNights} nights`, optionOf(wholeNumber(1, allNights)), 1)
    .option('--keep', "keep everything running afterwards, and serve the operator's page")
    .addHelpText('after', exampleOf('demo', '--nights', String(allNights)))
    .action(async ({ nights, keep }: { nights: number; keep?: true }) => {
      showStep(context, 'Starting a simulated service and a private Postgres');
      const world = await demo.openDemoWorld(context.environment, systemClock());
      try {
        const settings = readSettings({ ...context, environment: world.environment }, { service: true });
        const open = () =>
          openPrivateDatabase(demo.directory, context.redactor, settings.log, demo.renewWarehouse);
        await withApp(
          settings,
          async (app, database) => {
            const url = currentUrl(database.url);
            const lived = await liveNights(context, app, world, url, allNights - nights);
            if (keep) await stayUp(context, app, world, lived, url);
            else await printResult(context, app, lived, await savePage(app), null);
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
  live.show(stderrPaint.quiet(step));
  live.keep();
}

/** Lives through the nights and prints a row for each. */
async function liveNights(
  { live, signal, print, columns }: Context,
  app: AppContext,
  world: demo.DemoWorld,
  databaseUrl: string,
  firstNight: number,
): Promise<demo.LivedNight[]> {
  const onProgress = createProgress(live, app.log);
  showStep({ live }, 'Loading five weeks of campaigns');
  await demo.loadHistory(world, databaseUrl, firstNight, onProgress, signal);
  const table = demoTable(columns);
  print(`\n${table.heading}`);
  const lived: demo.LivedNight[] = [];
  const database = { queries: app.warehouse, databaseUrl };
  for await (const night of demo.liveNights(world, database, firstNight, onProgress, signal)) {
    print(table.night(night));
    lived.push(night);
  }
  return lived;
}

async function printResult(
  { print }: Context,
  app: AppContext,
  nights: readonly demo.LivedNight[],
  page: string,
  kept: Parameters<typeof describeDemo>[0]['kept'],
): Promise<void> {
  const restated = await readRestatedFigures(app.warehouse);
  print(describeDemo({ nights, mails: demo.mailDirectory, restated, page, kept }));
}

const pageOptions = () => ({
  token: null,
  names: [],
  nextRun: () => null,
  unscheduled: `This is the demo: to use the commands below, first type ${asTyped('init')}.`,
});

/** Saves the operator's page as a file, with what it is drawn with; returns its path. */
async function savePage(app: AppContext): Promise<string> {
  const folder = path.join(demo.directory, 'page');
  await mkdir(folder, { recursive: true });
  const routes = createApp(app, pageOptions());
  for (const [route, name] of [
    ['/', 'index.html'],
    ['/style.css', 'style.css'],
    ['/icon.svg', 'icon.svg'],
  ] as const) {
    const response = await routes.request(route, { headers: { host: 'localhost' } });
    await writeFile(path.join(folder, name), await response.text(), { mode: 0o600 });
  }
  return path.join(folder, 'index.html');
}

async function stayUp(
  context: Context,
  app: AppContext,
  { service }: demo.DemoWorld,
  nights: readonly demo.LivedNight[],
  database: string,
): Promise<void> {
  // Any free port: another process may use the one in the settings.
  const server = await startServer(app, { ...pageOptions(), host: '127.0.0.1', port: 0 });
  try {
    await printResult(context, app, nights, server.url, { database, service });
    await aborted(context.signal);
  } finally {
    await server.close();
  }
  throw context.signal.reason;
}
