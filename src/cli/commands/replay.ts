import type { Command } from 'commander';
import { replay } from '../../job/replay.ts';
import { reread } from '../../job/reread.ts';
import type { Day } from '../../model/day.ts';
import { type Context, readSettings, withExecutor } from '../context.ts';
import { dayOption, daysHelp, exampleOf, requireInOrder } from '../options.ts';

/** `replay`: rebuilds the warehouse from the archive, or loads archived responses that were unreadable. */
export function addReplay(program: Command, context: Context): void {
  program
    .command('replay')
    .description('Rebuild rows of the warehouse from the archived responses')
    .requiredOption('--from <DAY>', 'first day', dayOption(context.environment))
    .requiredOption('--to <DAY>', 'last day', dayOption(context.environment))
    .option(
      '--reread',
      'instead, load the newest response of each day that could not be read when it was received',
    )
    .addHelpText('after', daysHelp)
    .addHelpText('after', exampleOf('replay', '--from', '2026-11-01', '--to', '2026-11-20'))
    .action(async ({ from, to, ...options }: { from: Day; to: Day; reread?: boolean }) => {
      requireInOrder(from, to);
      const settings = readSettings(context, { service: false });
      const { command, signal } = context;
      const work = options.reread ? reread : replay;
      await withExecutor(context, settings, false, (app) => work(app, { command, from, to }, signal));
    });
}
