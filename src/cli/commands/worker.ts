import type { Command } from 'commander';
import { wholeNumber } from '../../config/formats.ts';
import { requireSchema } from '../../job/run/database.ts';
import { type Context, readSettings, requireShared, withApp } from '../context.ts';
import { exampleOf, optionOf } from '../options.ts';

/** `worker`: syncs windows of distributed runs and backfills, until it is interrupted. */
export function add(program: Command, context: Context): void {
  program
    .command('worker')
    .description('Sync the windows of distributed runs, on any machine')
    .option('--concurrency <N>', 'requests at once (default: CONCURRENCY)', optionOf(wholeNumber(1, 64)))
    .addHelpText('after', exampleOf('worker', '--concurrency', '4'))
    .action(async ({ concurrency }: { concurrency?: number }) => {
      const override = concurrency === undefined ? {} : { CONCURRENCY: String(concurrency) };
      const environment = { ...context.environment, ...override };
      const settings = readSettings({ ...context, environment }, { service: true });
      requireShared(settings);
      const { runWorker } = await import('../../queue/with-workers.ts');
      await withApp(settings, async (app) => {
        await requireSchema(app.warehouse);
        await runWorker(app, context.signal);
      });
      throw context.signal.reason;
    });
}
