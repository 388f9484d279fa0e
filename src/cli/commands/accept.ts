import { type Command, Option } from 'commander';
import { accept } from '../../job/accept.ts';
import type { DryWindow } from '../../job/dry-run.ts';
import { summarize } from '../../job/run/run-stats.ts';
import type { Day } from '../../model/day.ts';
import { usageFailure } from '../../model/errors.ts';
import { formatDays } from '../../support/english.ts';
import { openQuestions } from '../ask.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { dayOption, daysHelp, exampleOf, listOption, requestedAccounts, requestedDays } from '../options.ts';
import { describeStep } from '../print-dry-run.ts';

type Options = {
  readonly day?: Day;
  readonly from?: Day;
  readonly to?: Day;
  readonly account?: readonly string[];
  readonly yes?: boolean;
};

/** The run lock is held meanwhile: a night must not wait for somebody who left. */
const promptTimeoutMs = 300_000;

/** `accept`: applies held responses, and confirms provisional ones. */
export function addAccept(program: Command, context: Context): void {
  const day = dayOption(context.environment);
  program
    .command('accept')
    .description('Apply held responses and confirm provisional days')
    .addOption(new Option('--day <DAY>', 'the day').argParser(day).conflicts(['from', 'to']))
    .option('--from <DAY>', 'first day', day)
    .option('--to <DAY>', 'last day', day)
    .option('--account <NAME>', 'only this account; may be repeated (default: all)', listOption)
    .option('--yes', "don't ask on a terminal")
    .addHelpText('after', daysHelp)
    .addHelpText('after', exampleOf('accept', '--day', '2026-11-20', '--account', 'main'))
    .action(async ({ account, yes = false, ...range }: Options) => {
      const settings = readSettings(context, { service: true });
      const { accounts } = settings.config;
      const days = requestedDays(range, accounts);
      if (days === null) throw usageFailure('--day is missing, or --from and --to');
      const request = { command: context.command, days, accounts: requestedAccounts(account, accounts) };
      const show = (window: DryWindow) => context.print(describeStep(window).join('\n'));
      const confirm = async () => yes || !process.stdin.isTTY || (await askToApply(context));
      const report = await withApp(settings, (app) =>
        accept(app, request, context.signal, { show, confirm }),
      );
      context.print(`${formatDays(days)}: ${summarize(report.stats)}`);
      context.setExitCode(report.exitCode);
    });
}

async function askToApply({ signal }: Context): Promise<boolean> {
  const questions = openQuestions(AbortSignal.any([signal, AbortSignal.timeout(promptTimeoutMs)]));
  try {
    return await questions.confirm('Replace the earlier figures with these?', 'no');
  } catch (error) {
    signal.throwIfAborted();
    if ((error as Error).name === 'TimeoutError') return false;
    throw error;
  } finally {
    questions.close();
  }
}
