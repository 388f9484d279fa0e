import { type RunLock, takeRunLock } from '../../src/warehouse/ledger/run-lock.ts';
import { queryAt } from './database.ts';

/** Starts another run, which holds the run lock until it is released. Throws if the lock isn't free. */
export async function runInProgress(databaseUrl: string): Promise<Pick<RunLock, 'release'>> {
  const lock = await takeRunLock(databaseUrl);
  if (lock === null) throw new Error('the run lock is held');
  const [run] = await queryAt(
    databaseUrl,
    `insert into etl.runs (kind, command, run_date, host, process_id)
     values ('nightly', 'run', current_date, 'elsewhere', 1) returning run_id`,
  );
  return {
    async release() {
      await queryAt(databaseUrl, 'delete from etl.runs where run_id = $1', [run!.run_id]);
      await lock.release();
    },
  };
}
