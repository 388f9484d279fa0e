import type { Command } from 'commander';
import { replay } from '../../job/replay.ts';
import { requireSchema } from '../../job/run/database.ts';
import { readAccounts } from '../../warehouse/ledger/accounts.ts';
import { type Context, readSettings, withExecutor } from '../context.ts';
import { exampleOf, type RangeOptions, rangeCommand, requestedAccounts, requireInOrder } from '../options.ts';

/** `replay`: loads archived responses again, without the service. */
export function add(program: Command, context: Context): void {
  rangeCommand(program, 'replay', context.environment)
    .description('Load archived responses again, without the service')
    .addHelpText('after', exampleOf('replay', '--from', '2026-11-01', '--to', '2026-11-20'))
    .action(async ({ from, to, account }: RangeOptions) => {
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
