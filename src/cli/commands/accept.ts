import type { Command } from 'commander';
import { accept } from '../../job/accept.ts';
import type { DryWindow } from '../../job/dry-run.ts';
import { summarize } from '../../job/run/run-stats.ts';
import type { Day } from '../../model/day.ts';
import { usageFailure } from '../../model/errors.ts';
import { formatDays } from '../../support/english.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { dayOption, daysHelp, exampleOf, listOption, requestedAccounts, requestedDays } from '../options.ts';
import { describeStep } from '../print-dry-run.ts';

type Options = {
  readonly day?: Day;
  readonly from?: Day;
  readonly to?: Day;
  readonly account?: readonly string[];
};

/** `accept`: applies held responses, and confirms provisional ones. */
export function addAccept(program: Command, context: Context): void {
  const day = dayOption(context.environment);
  program
    .command('accept')
    .description('Apply held responses and confirm provisional days')
    .option('--day <DAY>', 'the day', day)
    .option('--from <DAY>', 'first day', day)
    .option('--to <DAY>', 'last day', day)
    .option('--account <NAME>', 'only this account; may be repeated (default: all)', listOption)
    .addHelpText('after', daysHelp)
    .addHelpText('after', exampleOf('accept', '--day', '2026-11-20', '--account', 'main'))
    .action(async ({ account, ...range }: Options) => {
      const settings = readSettings(context, { service: true });
      const { accounts } = settings.config;
      const days = requestedDays(range, accounts);
      if (days === null) throw usageFailure('--day is missing, or --from and --to');
      const request = { command: context.command, days, accounts: requestedAccounts(account, accounts) };
      const show = (window: DryWindow) => context.print(describeStep(window).join('\n'));
      const report = await withApp(settings, (app) => accept(app, request, context.signal, show));
      context.print(`${formatDays(days)}: ${summarize(report.stats)}`);
      context.end(report.exitCode);
    });
}
