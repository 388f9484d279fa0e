import type { Command } from 'commander';
import { replay } from '../../job/replay.ts';
import { requireSchema } from '../../job/run/database.ts';
import type { Day } from '../../model/day.ts';
import { readAccounts } from '../../warehouse/ledger/accounts.ts';
import { type Context, readSettings, withExecutor } from '../context.ts';
import { dayOption, daysHelp, exampleOf, listOption, requestedAccounts, requireInOrder } from '../options.ts';

type Options = {
  readonly from: Day;
  readonly to: Day;
  readonly account?: string[];
};

/** `replay`: loads archived responses again, without the service. */
export function addReplay(program: Command, context: Context): void {
  program
    .command('replay')
    .description('Load archived responses again, without the service')
    .requiredOption('--from <DAY>', 'first day', dayOption(context.environment))
    .requiredOption('--to <DAY>', 'last day', dayOption(context.environment))
    .option('--account <NAME>', 'only this account; may be repeated (default: all)', listOption)
    .addHelpText('after', daysHelp)
    .addHelpText('after', exampleOf('replay', '--from', '2026-11-01', '--to', '2026-11-20'))
    .action(async ({ from, to, account }: Options) => {
      requireInOrder(from, to);
      const settings = readSettings(context, { service: false });
      const { command, signal } = context;
      await withExecutor(context, settings, false, async (app) => {
        await requireSchema(app.warehouse);
        const accounts = requestedAccounts(account, await readAccounts(app.warehouse));
        return await replay(app, { command, from, to, accounts }, signal);
      });
    });
}
