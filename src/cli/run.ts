import type { Command } from 'commander';
import { nightly } from '../job/nightly.ts';
import { systemClock } from '../support/clock.ts';
import { type Context, readSettings, withParts } from './context.ts';
import { askedAccounts, askedDays, type DayOptions, dayOption, latestToday, listOption } from './options.ts';

type Options = DayOptions & { readonly account?: string[]; readonly digest: boolean };

/** `run`: one pass now. */
export function addRun(program: Command, context: Context, end: (code: number) => void): void {
  program
    .command('run')
    .description('one pass now: walks the client pages, pulls what is due, sends the digests')
    .option('--day <D>', 'exactly this day, due or not', dayOption)
    .option('--from <D>', 'exactly the days from this one …', dayOption)
    .option('--to <D>', '… to this one', dayOption)
    .option('--account <NAME>', 'only this account; may be given several times', listOption)
    .option('--no-digest', 'send no digest of these days, now or later')
    .action(async (options: Options) => {
      const settings = readSettings(context, { service: true });
      const { accounts } = settings.config;
      const zones = accounts.map((account) => account.timeZone);
      const days = askedDays(options, latestToday(systemClock(), zones));
      const names = askedAccounts(options.account, accounts);
      const command = ['run', ...program.args.slice(1)].join(' ');
      const request = { command, days, accounts: names, digest: options.digest, slot: null };
      const report = await withParts(settings, (parts) => nightly(parts, request, context.signal));
      const { windows, rows, failures } = report.tally;
      settings.log.info(
        report.tally,
        `${report.outcome}: ${windows.loaded} windows loaded, ${windows.failed} failed; ` +
          `${rows.appeared} rows new, ${rows.updated} changed, ${rows.unchanged} the same; ${failures.length} failures`,
      );
      end(report.exitCode);
    });
}
