import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Every } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';

/** The digests of the newest day for which any was built, each in its newest form. */
export type NewestDigests = {
  /** The kind of period that all are about; `day` if they differ. */
  readonly every: Every;
  readonly day: Day;
  readonly digests: number;
  readonly recipients: number;
  /** Messages that the mail server accepted, or that were written to a folder. */
  readonly sent: number;
  /** Messages of `sent` that were written to a folder. */
  readonly written: number;
  /** Time at which the last of them was sent; null if none was. */
  readonly sentAt: string | null;
};

/** Returns null before the first digest. */
export async function readNewestDigests(queries: Queries): Promise<NewestDigests | null> {
  const { rows } = await sql<NewestDigests>`
    with newest as (
      select distinct on (name) mail_id, every, day from etl.mails
      where day = (select max(day) from etl.mails)
      order by name, mail_id desc)
    select
      case when count(distinct g.every) = 1 then min(g.every) else 'day' end as every,
      g.day,
      count(distinct g.mail_id) as digests,
      count(d.delivery_id) as recipients,
      count(*) filter (where d.state in ('sent', 'written')) as sent,
      count(*) filter (where d.state = 'written') as written,
      max(d.changed_at) filter (where d.state in ('sent', 'written')) as "sentAt"
    from newest g left join etl.deliveries d using (mail_id)
    group by g.day
  `.execute(queries);
  return rows[0] ?? null;
}
