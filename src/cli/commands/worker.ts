import type { Command } from 'commander';
import { requireSchema } from '../../job/run/database.ts';
import { type Context, readSettings, type Settings, withApp } from '../context.ts';
import { requireShared } from '../executor.ts';
import { concurrencyOption } from '../options.ts';

/** `worker`: syncs windows of runs and backfills with `--distribute`, until it is interrupted. */
export function addWorker(program: Command, context: Context): void {
  program
    .command('worker')
    .description('sync the windows of distributed runs and backfills, until it is interrupted')
    .option('--concurrency <N>', 'requests at once, instead of CONCURRENCY', concurrencyOption)
    .action(async ({ concurrency }: { concurrency?: number }) => {
      const settings = withConcurrency(readSettings(context, { service: true }), concurrency);
      requireShared(settings);
      const { beWorker } = await import('../../queue/with-workers.ts');
      await withApp(settings, async (app) => {
        await requireSchema(app.warehouse);
        await beWorker(app, context.signal);
      });
      throw context.signal.reason;
    });
}

function withConcurrency(settings: Settings, concurrency: number | undefined): Settings {
  if (concurrency === undefined) return settings;
  const { config } = settings;
  return { ...settings, config: { ...config, service: { ...config.service, concurrency } } };
}
