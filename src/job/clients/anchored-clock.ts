import type { Queries } from '../../warehouse/db/database.ts';
import { databaseClock } from '../../warehouse/ledger/runs.ts';

/** Turns an instant of this process's own clock, in milliseconds, into the database's, as text. */
export type AnchoredClock = (ms: number) => string;

/** One look at the database's clock serves a whole walk: exact enough for the archive, not for the stale rule. */
export async function anchorClock(warehouse: Queries): Promise<AnchoredClock> {
  const anchor = Temporal.Instant.from(await databaseClock(warehouse));
  const anchoredAt = performance.now();
  return (ms) => anchor.add({ microseconds: Math.round((ms - anchoredAt) * 1_000) }).toString();
}
