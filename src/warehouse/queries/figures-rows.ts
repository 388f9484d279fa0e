import { type RawBuilder, sql } from 'kysely';
import { addDays, type Day } from '../../model/day.ts';
import type { CsvColumns, DigestRow } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';
import type { Days, DigestAccount } from './figures.ts';

/** Few round trips, little memory. */
const rowsPerPage = 2_000;

/** Reads the current rows of a period, page by page: account by account, by day and id, as the primary key has them. */
export async function* digestRowPages(
  queries: Queries,
  accounts: readonly DigestAccount[],
  period: Days,
): AsyncGenerator<readonly DigestRow[]> {
  for (const account of accounts) {
    let after: RowKey | null = { day: addDays(period.from, -1), callsetId: Number.MAX_SAFE_INTEGER };
    while (after !== null) {
      const rows: DigestRow[] = await readPage(queries, account, period, after);
      if (rows.length > 0) yield rows;
      after = rows.length < rowsPerPage ? null : rows.at(-1)!;
    }
  }
}

type RowKey = Pick<DigestRow, 'day' | 'callsetId'>;

/** Reads the rows after a row. */
async function readPage(
  queries: Queries,
  { id, name, label }: DigestAccount,
  { to }: Days,
  after: RowKey,
): Promise<DigestRow[]> {
  const { rows } = await sql<DigestRow>`
    select ${name}::text as account, ${label}::text as label, d.day, d.callset_id as "callsetId", d.campaign,
      d.attempts, d.busies, d.connects, d.live_answers as "liveAnswers",
      case when s.provisional then 'provisional' when s.short then 'short'
        when d.restated_at is not null then 'restated' else 'loaded' end as status, d.extra
    from etl.campaign_days d
    join warehouse.account_days s using (account_id, day)
    where d.account_id = ${id} and d.withdrawn_at is null and d.day <= ${to}::date
      and (d.day, d.callset_id) > (${after.day}::date, ${after.callsetId}::bigint)
    order by d.day, d.callset_id
    limit ${rowsPerPage}
  `.execute(queries);
  return rows;
}

/** Reads which columns have a value on any of these days. */
export async function readCsvColumns(
  queries: Queries,
  accounts: readonly DigestAccount[],
  days: readonly Day[],
  extraFields: readonly string[],
): Promise<CsvColumns> {
  const ids = accounts.map(({ id }) => id);
  const some = (condition: RawBuilder<unknown>) => sql<boolean>`coalesce(bool_or(${condition}), false)`;
  const { rows } = await sql<Omit<CsvColumns, 'extraFields'>>`
    select ${some(sql`s.attempts is not null`)} as attempts, ${some(sql`s.busies is not null`)} as busies,
      ${some(sql`s.connects is not null`)} as connects, ${some(sql`s.live_answers is not null`)} as "liveAnswers"
    from warehouse.account_days s
    where s.account_id = any(${ids}::integer[]) and s.day = any(${days}::date[])
  `.execute(queries);
  const extra = await sql<{ field: string }>`
    select e.field from unnest(${extraFields}::text[]) with ordinality e (field, place)
    where exists (
      select from etl.campaign_days d
      where d.account_id = any(${ids}::integer[]) and d.day = any(${days}::date[])
        and d.withdrawn_at is null and d.extra ->> e.field is not null)
    order by e.place
  `.execute(queries);
  return { ...rows[0]!, extraFields: extra.rows.map(({ field }) => field) };
}
