import type { Command } from 'commander';
import { backfill } from '../../job/backfill.ts';
import type { Day } from '../../model/day.ts';
import { systemClock } from '../../support/clock.ts';
import { type Context, readSettings } from '../context.ts';
import { withExecutor } from '../executor.ts';
import { dayOption, latestToday, listOption, requestedAccounts, requestedDays } from '../options.ts';
import { watched } from '../progress/progress.ts';
import { logReport } from '../report.ts';

type Options = {
  readonly from: Day;
  readonly to: Day;
  readonly account?: string[];
  readonly distribute?: true;
};

/** `backfill`: loads the days that are not loaded yet. */
export function addBackfill(program: Command, context: Context, end: (code: number) => void): void {
  program
    .command('backfill')
    .description(
      'load the days that are not loaded yet, newest first: no walk, no digest; repeat it to go on',
    )
    .requiredOption('--from <D>', 'first day', dayOption)
    .requiredOption('--to <D>', 'last day', dayOption)
    .option('--account <NAME>', 'only this account; may be given several times', listOption)
    .option('--distribute', 'let workers sync the windows: callsheet worker, on any number of machines')
    .action(async ({ from, to, account, distribute }: Options) => {
      const settings = readSettings(context, { service: true });
      const { accounts } = settings.config;
      const zones = accounts.map((each) => each.timeZone);
      requestedDays({ from, to }, latestToday(systemClock(), zones));
      const command = ['backfill', ...program.args.slice(1)].join(' ');
      const request = { command, from, to, accounts: requestedAccounts(account, accounts) };
      const message =
        'ending once what is in flight is loaded: the same command goes on later; interrupt again to end at once';
      context.signal.addEventListener('abort', () => settings.log.warn(message), { once: true });
      const report = await withExecutor(settings, distribute, (app, executor) =>
        watched(context.live, settings.log, (onProgress) =>
          backfill(app, request, context.signal, onProgress, executor),
        ),
      );
      logReport(settings.log, report);
      end(report.exitCode);
    });
}
