import type { Command } from 'commander';
import { accept } from '../../job/accept.ts';
import { summarize } from '../../job/run/run-stats.ts';
import type { Day } from '../../model/day.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { dayOption, daysHelp, exampleOf, requestedAccounts } from '../options.ts';

type Options = {
  readonly day: Day;
  readonly account?: string;
};

/** `accept`: applies a held response. */
export function addAccept(program: Command, context: Context): void {
  program
    .command('accept')
    .description('Apply the held response of a day')
    .requiredOption('--day <DAY>', 'the day', dayOption(context.environment))
    .option('--account <NAME>', 'only of this account (default: all)')
    .addHelpText('after', daysHelp)
    .addHelpText('after', exampleOf('accept', '--day', '2026-11-20', '--account', 'main'))
    .action(async ({ day, account }: Options) => {
      const settings = readSettings(context, { service: true });
      requestedAccounts(account === undefined ? undefined : [account], settings.config.accounts);
      const request = { command: context.command, day, account: account ?? null };
      const report = await withApp(settings, (app) => accept(app, request, context.signal));
      context.print(`${day}: ${summarize(report.stats)}`);
      context.end(report.exitCode);
    });
}
