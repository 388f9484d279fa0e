import type { Command } from 'commander';
import { dryRun } from '../../job/dry-run.ts';
import { nightly } from '../../job/nightly.ts';
import { usageFailure } from '../../model/failure.ts';
import { systemClock } from '../../support/clock.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { withExecutor } from '../executor.ts';
import {
  type DayOptions,
  dayOption,
  latestToday,
  listOption,
  requestedAccounts,
  requestedDays,
} from '../options.ts';
import { describeStep } from '../print-dry-run.ts';
import { watchedRun } from '../progress/watched-run.ts';
import { logReport } from '../report.ts';

type Options = DayOptions & {
  readonly account?: string[];
  readonly digest: boolean;
  readonly dryRun?: true;
  readonly distribute?: true;
};

/** `run`: one pass now. */
export function addRun(program: Command, context: Context, end: (code: number) => void): void {
  program
    .command('run')
    .description('one pass now: walks the client pages, syncs what is due, sends the digests')
    .option('--day <D>', 'exactly this day, due or not', dayOption)
    .option('--from <D>', 'exactly the days from this one …', dayOption)
    .option('--to <D>', '… to this one', dayOption)
    .option('--account <NAME>', 'only this account; may be given several times', listOption)
    .option('--dry-run', 'print what would be loaded and mailed, row by row, and write nothing')
    .option('--distribute', 'let workers sync the windows: callsheet worker, on any number of machines')
    .option('--no-digest', 'send no digest of these days, now or later')
    .action(async (options: Options) => {
      const settings = readSettings(context, { service: true });
      const { accounts } = settings.config;
      const zones = accounts.map((account) => account.timeZone);
      const days = requestedDays(options, latestToday(systemClock(), zones));
      const names = requestedAccounts(options.account, accounts);
      const command = ['run', ...program.args.slice(1)].join(' ');
      const request = { command, days, accounts: names, digest: options.digest, scheduledFor: null };
      if (options.dryRun && options.distribute) throw usageFailure('--dry-run goes without --distribute');
      if (options.dryRun) {
        await withApp(settings, async (app) => {
          for await (const step of dryRun(app, request, context.signal))
            describeStep(step).forEach(context.print);
        });
        return;
      }
      const report = await withExecutor(settings, options.distribute, (app, executor) =>
        watchedRun(context.live, (onProgress) => nightly(app, request, context.signal, onProgress, executor)),
      );
      logReport(settings.log, report);
      end(report.exitCode);
    });
}
