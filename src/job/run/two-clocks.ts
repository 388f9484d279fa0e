import { type Clock, systemClock } from '../../support/clock.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { databaseClock } from '../../warehouse/ledger/runs.ts';

/**
 * A day is over, and a run date begins, when both clocks say so: one of them may be wrong, and nothing shows which.
 *
 * @param clock the time to continue; tests simulate it
 * @param machineClock what is compared with the database's: where time is simulated, the database knows nothing of it
 */
export function createTwoClocks(clock: Clock, machineClock: Clock = systemClock) {
  let aheadMs = 0;
  return {
    /** The earlier of both clocks, as they were when they were last compared. */
    clock: () => clock().subtract({ milliseconds: Math.max(aheadMs, 0) }),
    /** Returns by how many milliseconds the machine's clock is ahead of the database's; negative if it is behind. */
    async compareClocks(queries: Queries): Promise<number> {
      // Before the statement: where both are right, its duration sets nothing back.
      const before = machineClock();
      const database = Temporal.Instant.from(await databaseClock(queries));
      aheadMs = before.epochMilliseconds - database.epochMilliseconds;
      return aheadMs;
    },
  };
}
