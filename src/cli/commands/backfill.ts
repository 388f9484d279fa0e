import type { Command } from 'commander';
import { backfill } from '../../job/backfill.ts';
import { asTyped } from '../../support/commands.ts';
import { type Context, readSettings, withExecutor } from '../context.ts';
import { exampleOf, type RangeOptions, rangeCommand, requestedAccounts, requestedDays } from '../options.ts';

type Options = RangeOptions & { readonly distribute?: true };

const interruptedOnce = 'stopping after the running requests; interrupt again to stop at once';

/** `backfill`: loads the days that are not loaded yet. */
export function add(program: Command, context: Context): void {
  rangeCommand(program, 'backfill', context.environment)
    .description('Load days that are missing or provisional; resumable')
    .option('--distribute', `let workers fetch the days; on each machine: ${asTyped('worker')}`)
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
