import { type Command, Option } from 'commander';
import { accept } from '../../job/accept.ts';
import { type AcceptedSign, acceptAlways } from '../../job/accept-always.ts';
import type { DryWindow } from '../../job/dry-run.ts';
import { summarize } from '../../job/run/run-stats.ts';
import type { Day } from '../../model/day.ts';
import { usageFailure } from '../../model/errors.ts';
import { formatCountOf, formatDays, formatList } from '../../support/english.ts';
import { openQuestions } from '../ask.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { dayOption, daysHelp, exampleOf, listOption, requestedAccounts, requestedDays } from '../options.ts';
import { describeStep } from '../print-dry-run.ts';

type Options = {
  readonly day?: Day;
  readonly from?: Day;
  readonly to?: Day;
  readonly always?: string;
  readonly undo?: boolean;
  readonly account?: readonly string[];
  readonly yes?: boolean;
};

/** Somebody who compares figures with the provider's own report takes her time. */
const promptTimeoutMs = 3_600_000;

/** `accept`: applies held responses, and confirms provisional ones; `--always` says once what a sign of the service means. */
export function add(program: Command, context: Context): void {
  const day = dayOption(context.environment);
  program
    .command('accept')
    .description('Apply held responses, confirm provisional days, or say what is the way of the service')
    .addOption(new Option('--day <DAY>', 'the day').argParser(day).conflicts(['from', 'to', 'always']))
    .option('--from <DAY>', 'first day', day)
    .option('--to <DAY>', 'last day', day)
    .addOption(
      new Option(
        '--always <SIGN>',
        'accept a sign, or its short name from an alert, as the way of the service',
      ).conflicts(['from', 'to']),
    )
    .option('--undo', 'with --always: take that back')
    .option('--account <NAME>', 'only this account; may be repeated (default: all)', listOption)
    .option('--yes', "don't ask on a terminal")
    .addHelpText('after', daysHelp)
    .addHelpText('after', exampleOf('accept', '--day', '2026-11-20', '--account', 'main'))
    .action(async ({ account, yes = false, always, undo = false, ...range }: Options) => {
      const settings = readSettings(context, { service: true });
      const { accounts } = settings.config;
      const names = requestedAccounts(account, accounts);
      const isSure = async (question: string) =>
        yes || !process.stdin.isTTY || (await askToApply(context, question));
      if (always !== undefined) {
        const request = { command: context.command, sign: always, accounts: names, undo };
        const confirm = async (accepted: AcceptedSign) => {
          context.print(describeAccepted(accepted, undo));
          return await isSure(undo ? 'Take it back?' : 'Is that the way of the service?');
        };
        const report = await withApp(settings, (app) => acceptAlways(app, request, context.signal, confirm));
        context.setExitCode(report.exitCode);
        return;
      }
      if (undo) throw usageFailure('--undo goes with --always');
      const days = requestedDays(range, accounts);
      if (days === null) throw usageFailure('--day is missing, or --from and --to');
      const request = { command: context.command, days, accounts: names };
      const show = (window: DryWindow) => context.print(describeStep(window).join('\n'));
      const confirm = () => isSure('Replace the earlier figures with these?');
      const report = await withApp(settings, (app) => accept(app, request, context.signal, show, confirm));
      context.print(`${formatDays(days)}: ${summarize(report.stats)}`);
      context.setExitCode(report.exitCode);
    });
}

/** What an acceptance means: the days that it confirms, by account, and their campaigns. */
function describeAccepted({ sign, accounts, days }: AcceptedSign, undo: boolean): string {
  const whose = accounts === null ? 'all accounts' : formatList(accounts);
  if (undo) return `"${sign}" is accepted no more for ${whose}: days that rest on it are provisional again`;
  const confirmed = [...Map.groupBy(days, ({ account }) => account)].map(
    ([account, own]) =>
      `  ${account}: ${formatDays(own.map(({ day }) => day))}, ${formatCountOf(
        own.reduce((sum, { campaigns }) => sum + campaigns, 0),
        'campaign',
      )}`,
  );
  return [
    `"${sign}" is the way of the service, for ${whose}`,
    days.length === 0
      ? 'It confirms no loaded day; held days and answers without a list follow with the next run.'
      : `It confirms ${formatCountOf(days.length, 'day')}:`,
    ...confirmed,
  ].join('\n');
}

async function askToApply({ signal }: Context, question: string): Promise<boolean> {
  const questions = openQuestions(AbortSignal.any([signal, AbortSignal.timeout(promptTimeoutMs)]));
  try {
    return await questions.confirm(question, 'no');
  } catch (error) {
    signal.throwIfAborted();
    if ((error as Error).name === 'TimeoutError') return false;
    throw error;
  } finally {
    questions.close();
  }
}
