import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/**
 * Deletes what nobody needs after 400 days: messages of digests, summaries of runs, and records in quarantine that
 * a later response replaced. The rows of digests and runs stay: they record which periods need no mail, and
 * which scheduled times were served. An undelivered message stays, and so does the
 * summary of the last nightly run. Returns the number of each.
 */
export async function pruneHistory(queries: Queries) {
  const { rows } = await sql<{ mails: number; summaries: number; records: number }>`
    with kept as (select now() - interval '400 days' as since),
    mails as (
      update etl.mails g set mime = null from kept
      where g.mime is not null and g.built_at < kept.since and (
        select true from etl.deliveries d
        where d.mail_id = g.mail_id
          and (d.state in ('pending', 'sending', 'failed') or d.changed_at >= kept.since)
        limit 1) is null
      returning g.mail_id),
    summaries as (
      update etl.runs r set summary = null from kept
      where r.summary is not null and r.finished_at < kept.since and r.run_id <> (
        select max(n.run_id) from etl.runs n where n.kind = 'nightly' and n.finished_at is not null)
      returning r.run_id),
    records as (
      delete from etl.rejects r using kept
      where not r.current and r.last_rejected_at < kept.since
      returning r.reject_id)
    select (select count(*) from mails) as mails, (select count(*) from summaries) as summaries,
      (select count(*) from records) as records
  `.execute(queries);
  return rows[0]!;
}
