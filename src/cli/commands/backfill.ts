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

const interruptedOnce = 'stopping after the running requests; interrupt again to stop at once';

/** `backfill`: loads the days that are not loaded yet. */
export function addBackfill(program: Command, context: Context): void {
  program
    .command('backfill')
    .description('Load days that are missing or provisional; resumable')
    .requiredOption('--from <DAY>', 'first day', dayOption(context.environment))
    .requiredOption('--to <DAY>', 'last day', dayOption(context.environment))
    .option('--account <NAME>', 'only this account; may be repeated (default: all)', listOption)
    .option('--distribute', `let workers fetch the days; on each machine: ${asTyped('worker')}`)
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
