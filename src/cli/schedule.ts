import type { Command } from 'commander';
import { type Schedule, type ScheduledTimes, scheduledTimesOf } from '../cron/scheduled-times.ts';
import { requireSchema } from '../job/database.ts';
import { endingOf } from '../job/ending.ts';
import type { Parts } from '../job/parts.ts';
import { exitCode } from '../model/exit-code.ts';
import type { Failure } from '../model/failure.ts';
import { onSchedule } from '../schedule/schedule.ts';
import { createServeSlot, type ServeSlot } from '../schedule/serve-slot.ts';
import { warnOfClockChanges } from '../schedule/warn-of-clock-changes.ts';
import { systemClock, systemSleep } from '../support/clock.ts';
import { warehouseFailure } from '../warehouse/failures.ts';
import { type Context, readSettings, withParts } from './context.ts';
import { explain } from './explain.ts';
import { tellReport } from './report.ts';
import { withServer } from './serve.ts';
import { watchedNight } from './watched-night.ts';

/** `schedule`: stays up and runs at every slot. */
export function addSchedule(program: Command, context: Context): void {
  program
    .command('schedule')
    .description('stay up, run at SCHEDULE in TIME_ZONE, and make up for a run that was missed')
    .action(async () => {
      const settings = readSettings(context, { service: true });
      const schedule = { expression: settings.config.schedule, timeZone: settings.config.planning.timeZone };
      const slots = scheduledTimesOf(schedule);
      await withParts(settings, async (parts) => {
        sayWhen(parts, schedule, slots);
        const time = { slots, clock: systemClock, sleep: systemSleep };
        await refuseOldSchema(parts);
        const told = tellingOnce(context, parts);
        const serveSlot = createServeSlot(parts, context.signal, (report) => tellReport(parts.log, report));
        await withServer(settings, parts, slots, () =>
          onSchedule(time, context.signal, (slot) => serve(context, serveSlot, slot, told)),
        );
      });
      throw context.signal.reason;
    });
}

function sayWhen({ log }: Parts, schedule: Schedule, slots: ScheduledTimes): void {
  const now = systemClock();
  const warning = warnOfClockChanges(schedule, slots, now);
  if (warning !== null) log.warn(warning);
  const next = slots.next(now).toZonedDateTimeISO(schedule.timeZone).toString({ smallestUnit: 'minute' });
  log.info(`waiting for ${schedule.expression} in ${schedule.timeZone}, next at ${next}`);
}

/** A database that isn't up yet will be; a schema that is too old stays so until somebody migrates, and is told at once. */
async function refuseOldSchema({ warehouse }: Parts): Promise<void> {
  try {
    await requireSchema(warehouse);
  } catch (error) {
    if (endingOf(error).exitCode !== exitCode.unavailable) throw error;
  }
}

/** What fails is told and left to the next slot: a container that ends would only be started anew. */
async function serve(
  { live }: Context,
  serveSlot: ServeSlot,
  slot: Temporal.Instant,
  told: Tell,
): Promise<boolean> {
  try {
    return await watchedNight(live, (onProgress) => serveSlot(slot, onProgress));
  } catch (error) {
    told(slot, error);
    // A database that is away comes back; all else would fail again.
    const { kind } = warehouseFailure(error) ?? (error as Partial<Failure>);
    return kind !== 'warehouse unavailable';
  }
}

type Tell = (slot: Temporal.Instant, error: unknown) => void;

/** Tells an error: where a slot is tried again and again, for the database is away, the same one only once. */
function tellingOnce({ redactor, signal }: Context, { log }: Parts): Tell {
  let before = '';
  return (slot, error) => {
    const { lines } = explain(error, redactor);
    const said = `${slot} ${lines.join()}`;
    if (!signal.aborted && said !== before) for (const line of lines) log.error(line);
    before = said;
  };
}
