import type { Command } from 'commander';
import { replay } from '../../job/replay.ts';
import type { Day } from '../../model/day.ts';
import { usageFailure } from '../../model/failure.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { dayOption } from '../options.ts';
import { watched } from '../progress/progress.ts';
import { logReport } from '../report.ts';

/** `replay`: rebuilds the warehouse from the archive. */
export function addReplay(program: Command, context: Context, end: (code: number) => void): void {
  program
    .command('replay')
    .description('rebuild the rows of the warehouse from the archived responses, without the service')
    .requiredOption('--from <D>', 'first day', dayOption)
    .requiredOption('--to <D>', 'last day', dayOption)
    .action(async ({ from, to }: { from: Day; to: Day }) => {
      if (from > to) throw usageFailure(`--from ${from} is after --to ${to}`);
      const settings = readSettings(context, { service: false });
      const request = { command: ['replay', ...program.args.slice(1)].join(' '), from, to };
      const report = await withApp(settings, (app) =>
        watched(context.live, settings.log, (onProgress) => replay(app, request, context.signal, onProgress)),
      );
      logReport(settings.log, report);
      end(report.exitCode);
    });
}
