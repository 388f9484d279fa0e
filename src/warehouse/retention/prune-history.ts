import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { isCurrent } from '../queries/alert-state.ts';

/** How much was deleted: messages of digests, summaries of runs, records in quarantine. */
export type PrunedHistory = { readonly mails: number; readonly summaries: number; readonly records: number };

/** Few enough that nobody waits for their locks. */
const batch = 100;

/**
 * Deletes what is large of what is older than so many days: messages of digests, summaries of runs and records in
 * quarantine. Their rows stay, for they say what was decided: that a digest needs no building, which scheduled times were
 * served, what was counted. What somebody may still need stays whole: a message that wasn't delivered, the summary of
 * the last nightly run, a record that no later response of its day replaced. Batch by batch, each for itself.
 *
 * @param beforeBatch is called before each batch, and throws where the run is to end
 */
export async function pruneHistory(
  queries: Queries,
  days: number,
  beforeBatch: () => void,
): Promise<PrunedHistory> {
  const since = sql<string>`now() - make_interval(days => ${days})`;
  const mails = sql`
    update etl.digests set mime = null where digest_id in (
      select g.digest_id from etl.digests g
      where g.mime is not null and g.built_at < ${since} and not exists (
        select from etl.deliveries d
        where d.digest_id = g.digest_id
          and (d.state in ('pending', 'sending', 'failed') or d.changed_at >= ${since}))
      limit ${batch})`;
  const summaries = sql`
    update etl.runs set summary = null where run_id in (
      select r.run_id from etl.runs r
      where r.summary is not null and r.finished_at < ${since} and r.run_id <> (
        select max(n.run_id) from etl.runs n where n.kind = 'nightly' and n.finished_at is not null)
      limit ${batch})`;
  const records = sql`
    update etl.rejects set payload = null where reject_id in (
      select r.reject_id from etl.rejects r join warehouse.accounts a using (account_id)
      where r.payload is not null and r.last_rejected_at < ${since} and not (${isCurrent})
      limit ${batch})`;
  const inBatches = async (statement: typeof mails) => {
    for (let total = 0; ; ) {
      beforeBatch();
      const { numAffectedRows } = await statement.execute(queries);
      total += Number(numAffectedRows);
      if (Number(numAffectedRows) < batch) return total;
    }
  };
  return {
    mails: await inBatches(mails),
    summaries: await inBatches(summaries),
    records: await inBatches(records),
  };
}
