import type { Clock } from '../../support/clock.ts';
import { formatDuration } from '../../support/english.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { databaseClock } from '../../warehouse/ledger/runs.ts';

/**
 * Reads the database's clock once, and gives it as it goes on from there: whether a day is over is decided by the same
 * clock on every machine, however wrong its own is.
 */
export async function readDatabaseClock(warehouse: Queries): Promise<Clock> {
  const anchor = Temporal.Instant.from(await databaseClock(warehouse));
  const anchoredAt = performance.now();
  return () => anchor.add({ microseconds: Math.round((performance.now() - anchoredAt) * 1_000) });
}

/** How far the clocks may differ before that is worth a warning. */
const maxDifferenceMs = 60_000;

/** Says how far this process's clock is off the one of its run; null where they agree. */
export function clockWarning(clock: Clock, own: Clock): string | null {
  const behindMs = clock().epochMilliseconds - own().epochMilliseconds;
  if (Math.abs(behindMs) <= maxDifferenceMs) return null;
  const how = `${formatDuration(Math.abs(behindMs))} ${behindMs > 0 ? 'behind' : 'ahead of'}`;
  return `the clock of this machine is ${how} the database's, which the run goes by: set it`;
}
