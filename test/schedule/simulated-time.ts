import { loadConfig } from '../../src/config/load.ts';
import { scheduledTimesOf } from '../../src/cron/scheduled-times.ts';
import { assemble } from '../../src/job/assemble.ts';
import { endingOf } from '../../src/job/ending.ts';
import { exitCode } from '../../src/model/exit-code.ts';
import { onSchedule } from '../../src/schedule/schedule.ts';
import { createServeSlot } from '../../src/schedule/serve-slot.ts';
import { createLogger } from '../../src/support/logger.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import type { World } from '../support/world.ts';

/** A time that passes when somebody sleeps, and by leaps. */
export type SimulatedTime = {
  now: Temporal.Instant;
  /** From when to when the machine is suspended: timers stand still, and clocks don't. */
  readonly suspended?: readonly [Temporal.Instant, Temporal.Instant];
};

export const at = (instant: string): SimulatedTime => ({ now: Temporal.Instant.from(instant) });

function sleepFor(time: SimulatedTime, ms: number): void {
  const [from, to] = time.suspended ?? [];
  const end = time.now.add({ milliseconds: ms });
  const amid =
    from && Temporal.Instant.compare(time.now, from) < 0 && Temporal.Instant.compare(from, end) < 0;
  time.now = amid ? to!.add(from.until(end)) : end;
}

/**
 * Keeps the schedule up from the time's now to `until`, with the real parts of a world.
 *
 * @param onSleep may let more time pass than was asked for
 */
export async function keepUp(
  world: World,
  settings: World['environment'],
  time: SimulatedTime,
  until: string,
  onSleep: (slept: number) => unknown = () => {},
): Promise<void> {
  const redactor = createRedactor();
  const loaded = loadConfig({ ...world.environment, ...settings }, { service: true }, redactor);
  const clock = () => time.now;
  const databaseUrl = loaded.secrets.databaseUrl()!;
  const parts = assemble(loaded, databaseUrl, createLogger('silent', 'json', redactor), clock);
  const stop = new AbortController();
  const end = Temporal.Instant.from(until);
  const { schedule: expression, planning } = loaded.config;
  const slots = scheduledTimesOf({ expression, timeZone: planning.timeZone });
  let slept = 0;
  const sleep = async (ms: number) => {
    sleepFor(time, ms);
    await onSleep(++slept);
    if (Temporal.Instant.compare(time.now, end) >= 0) stop.abort();
  };
  try {
    const serveSlot = createServeSlot(parts, stop.signal, () => {});
    await onSchedule({ slots, clock, sleep }, stop.signal, (slot) =>
      serveSlot(slot).catch((error: unknown) => {
        if (endingOf(error).exitCode !== exitCode.unavailable) throw error;
        return false;
      }),
    );
  } finally {
    await parts.warehouse.destroy();
  }
}

/** The slots that runs served, oldest run first, in the clock of a zone, and how they ended. */
export async function servedSlots(world: World, timeZone: string): Promise<string[]> {
  const runs = await world.query<{ slot: Date | null; outcome: string }>(
    'select slot, outcome from etl.runs order by run_id',
  );
  return runs.map(({ slot, outcome }) => {
    const shown = slot?.toTemporalInstant().toZonedDateTimeISO(timeZone).toPlainDateTime();
    return `${shown?.toString({ smallestUnit: 'minute' }) ?? 'none'} ${outcome}`;
  });
}

/** Days with how often a digest of them was built. */
export async function digestDays(world: World): Promise<string[]> {
  const rows = await world.query<{ line: string }>(
    `select concat_ws(' ', day, state, count(*)) as line from etl.digests group by day, state order by 1`,
  );
  return rows.map((row) => row.line);
}

/** As if the warehouse had been set up then: the nights of these tests lie in the past. */
export async function setUp(world: World, instant: string): Promise<void> {
  await world.query('update etl.migrations set timestamp = $1', [instant]);
}
