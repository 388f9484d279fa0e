import path from 'node:path';
import type { Command } from 'commander';
import { backfill } from '../../job/backfill.ts';
import { demoDirectory, openDemoWorld } from '../../job/demo.ts';
import { previewDigest } from '../../job/digests/compose-digest.ts';
import { nightly } from '../../job/nightly.ts';
import type { AppContext } from '../../job/run/app-context.ts';
import { openPrivateDatabase } from '../../job/run/database.ts';
import { addDays, type Day } from '../../model/day.ts';
import { yesterday } from '../../planning/business-day.ts';
import { aborted, systemClock } from '../../support/clock.ts';
import { asTyped } from '../../support/commands.ts';
import { countRows } from '../../warehouse/queries/measures.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { exampleOf } from '../options.ts';
import { showProgress, showRunProgress } from '../progress/live-line.ts';
import { formatTable } from '../table.ts';

/** `demo`: simulator, private Postgres and the nightly job of the last two days, all at once. */
export function addDemo(program: Command, context: Context): void {
  program
    .command('demo')
    .description('see it work: the simulator, a private Postgres, and one nightly run')
    .option('--keep', 'keep the simulator and the database running afterwards')
    .addHelpText('after', exampleOf('demo', '--keep'))
    .action(async ({ keep }: { keep?: true }) => {
      const { simulator, environment } = await openDemoWorld(context.environment);
      try {
        const settings = readSettings({ ...context, environment }, { service: true });
        await withApp(
          settings,
          async (app, database) => {
            const last = yesterday(systemClock(), 'UTC');
            await runNight(context, app, last);
            await printResults(context, app, last);
            if (keep) await stayUp(context, simulator.url, database.url);
            else context.print(`\nTo explore it, keep everything running:\n  ${asTyped('demo', '--keep')}`);
          },
          () => openPrivateDatabase(demoDirectory, context.redactor, settings.log),
        );
      } finally {
        await simulator.close();
      }
    });
}

/** The day before yesterday as history, and the nightly run of yesterday, which mails it. */
async function runNight({ live, signal, end }: Context, app: AppContext, last: Day): Promise<void> {
  const before = addDays(last, -1);
  const history = { command: 'demo', from: before, to: before, accounts: null };
  await showProgress(live, app.log, (onProgress) => backfill(app, history, signal, onProgress));
  const request = { command: 'demo', days: null, accounts: null, digest: true, scheduledFor: null };
  const report = await showRunProgress(live, (onProgress) => nightly(app, request, signal, onProgress));
  end(report.exitCode);
}

async function printResults({ print }: Context, app: AppContext, day: Day): Promise<void> {
  const filled = (await countRows(app.warehouse)).filter(({ rows }) => rows > 0);
  print(`\nIn the warehouse:\n${indent(formatTable(filled, ['rows', 'table']))}`);
  const directory = path.join(demoDirectory, 'digest');
  const files = await previewDigest(app, app.config.digests[0]!, day, directory);
  print(`\nThe digest of ${day}:\n${indent(files.join('\n'))}`);
}

async function stayUp({ print, signal }: Context, serviceUrl: string, databaseUrl: string): Promise<void> {
  print(`\nThe simulator runs at ${serviceUrl}`);
  print(`The warehouse:\n  psql '${databaseUrl}'\nCtrl-C stops both.`);
  await aborted(signal);
  throw signal.reason;
}

const indent = (text: string) => text.replaceAll(/^/gm, '  ');
