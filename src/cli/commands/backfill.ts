import type { Command } from 'commander';
import { backfill } from '../../job/backfill.ts';
import type { Day } from '../../model/day.ts';
import { asTyped } from '../../support/commands.ts';
import { type Context, readSettings, withExecutor } from '../context.ts';
import { dayOption, daysHelp, exampleOf, listOption, requestedAccounts, requestedDays } from '../options.ts';

type Options = {
  readonly from: Day;
  readonly to: Day;
  readonly account?: string[];
  readonly distribute?: true;
};

const interruptedOnce = 'ending once what is in flight is loaded; interrupt again to end at once';

/** `backfill`: loads the days that are not loaded yet. */
export function addBackfill(program: Command, context: Context): void {
  program
    .command('backfill')
    .description('Load days not loaded yet, or provisional; resumable')
    .requiredOption('--from <DAY>', 'first day', dayOption(context.environment))
    .requiredOption('--to <DAY>', 'last day', dayOption(context.environment))
    .option(
      '--account <NAME>',
      'only this account, by its name; may be given several times (default: all)',
      listOption,
    )
    .option('--distribute', `let workers sync the windows: ${asTyped('worker')}, on any number of machines`)
    .addHelpText('after', daysHelp)
    .addHelpText('after', exampleOf('backfill', '--from', '2026-10-01', '--to', '2026-10-31'))
    .action(async ({ from, to, account, distribute }: Options) => {
      const settings = readSettings(context, { service: true });
      const { accounts } = settings.config;
      requestedDays({ from, to }, accounts);
      const { command, signal } = context;
      const request = { command, from, to, accounts: requestedAccounts(account, accounts) };
      signal.addEventListener('abort', () => settings.log.warn(interruptedOnce), { once: true });
      await withExecutor(context, settings, distribute, (app, executor) =>
        backfill(app, request, signal, executor),
      );
    });
}
