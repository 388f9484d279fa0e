import type { Command } from 'commander';
import { nightly } from '../job/nightly.ts';
import { summarize } from '../job/tally.ts';
import { onSchedule } from '../schedule/schedule.ts';
import { type Context, readSettings, withParts } from './context.ts';
import { explain } from './explain.ts';
import { withServer } from './serve.ts';

/** `schedule`: stays up and runs at every slot. */
export function addSchedule(program: Command, context: Context): void {
  program
    .command('schedule')
    .description('stay up and run at SCHEDULE in TIME_ZONE')
    .action(async () => {
      const settings = readSettings(context, { service: true });
      const { config, log } = settings;
      const schedule = { expression: config.schedule, timeZone: config.planning.timeZone };
      await withParts(settings, async (parts) => {
        log.info(`waiting for ${schedule.expression} in ${schedule.timeZone}`);
        const runAt = async (slot: Date) => {
          const request = {
            command: 'schedule',
            days: null,
            accounts: null,
            digest: true,
            slot: slot.toISOString(),
          };
          try {
            const report = await nightly(parts, request, context.signal);
            log.info(report.tally, `${report.outcome}: ${summarize(report.tally)}`);
          } catch (error) {
            // The next slot tries again; a container that ends would only be started anew.
            for (const line of explain(error, context.redactor).lines) log.error(line);
          }
        };
        await withServer(settings, parts, () => onSchedule(schedule, log, context.signal, runAt));
      });
      throw context.signal.reason;
    });
}
