import { type Command, Option } from 'commander';
import { dryRun } from '../../job/dry-run.ts';
import { nightly } from '../../job/nightly.ts';
import { retriedRun } from '../../job/retried-runs.ts';
import type { Day } from '../../model/day.ts';
import { type ExitCode, gravest } from '../../model/exit-code.ts';
import { asTyped } from '../../support/commands.ts';
import { type Context, readSettings, withApp, withExecutor } from '../context.ts';
import {
  dayOption,
  daysHelp,
  durationOption,
  exampleOf,
  listOption,
  requestedAccounts,
  requestedDays,
} from '../options.ts';
import { describeStep } from '../print-dry-run.ts';

type Options = {
  readonly day?: Day;
  readonly from?: Day;
  readonly to?: Day;
  readonly account?: string[];
  readonly digest: boolean;
  readonly dryRun?: true;
  readonly retryFor?: number;
  readonly distribute?: true;
};

/** `run`: one pass now. */
export function add(program: Command, context: Context): void {
  program
    .command('run')
    .description('Load what is due and send the digests, now')
    .addOption(
      new Option('--day <DAY>', 'exactly this day, due or not (default: all due days)')
        .argParser(dayOption(context.environment))
        .conflicts(['from', 'to']),
    )
    .option('--from <DAY>', 'first day of a range', dayOption(context.environment))
    .option('--to <DAY>', 'last day', dayOption(context.environment))
    .option('--account <NAME>', 'only this account; may be repeated (default: all)', listOption)
    .addOption(
      new Option(
        '--dry-run',
        'print what would be loaded and mailed, row by row, and write nothing',
      ).conflicts(['distribute', 'retryFor']),
    )
    .option('--distribute', `let workers fetch the days; on each machine: ${asTyped('worker')}`)
    .option(
      '--retry-for <T>',
      'keep retrying for this long, such as 3h; send incomplete digests only at the end (default: no retry)',
      durationOption,
    )
    .option('--no-digest', 'send no digest of these days, now or later')
    .addHelpText('after', daysHelp)
    .addHelpText('after', exampleOf('run', '--from', '2026-11-18', '--to', '2026-11-20', '--dry-run'))
    .action(async (options: Options) => {
      const settings = readSettings(context, { service: true });
      const { accounts } = settings.config;
      const { command, signal } = context;
      const request = {
        command,
        days: requestedDays(options, accounts),
        accounts: requestedAccounts(options.account, accounts),
        digest: options.digest,
        scheduledFor: null,
        isWatched: context.isTerminal,
      };
      if (options.dryRun)
        return await withApp(settings, async (app) => {
          const codes: ExitCode[] = [];
          for await (const step of dryRun(app, request, signal)) {
            for (const line of describeStep(step)) context.print(line);
            if (step.step === 'failure') codes.push(step.failure.exitCode);
          }
          context.setExitCode(gravest(codes));
        });
      await withExecutor(context, settings, options.distribute, (app, executor) =>
        options.retryFor === undefined
          ? nightly(app, request, signal, executor)
          : retriedRun(app, request, signal, { retryForMs: options.retryFor, executor }),
      );
    });
}
