import { type RawBuilder, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { CsvColumns, DigestRow, ExtraColumn } from '../../model/digest.ts';
import type { Queries, Transaction } from '../db/database.ts';
import { tableOf } from '../db/expressions.ts';
import type { DigestAccount } from './figures.ts';
import type { Days } from './sums.ts';

/** Few round trips, little memory. */
const rowsPerPage = 2_000;

/**
 * Reads the current rows of a period, page by page: account by account, by day and id. It uses a cursor: a statement for
 * each page could sort all remaining rows each time.
 */
export async function* digestRowPages(
  snapshot: Transaction,
  accounts: readonly DigestAccount[],
  { from, to }: Days,
): AsyncGenerator<readonly DigestRow[]> {
  // A reader may have stopped early, and the next one in its transaction begins anew: a CSV is cut to fit into a mail.
  await sql`close all`.execute(snapshot);
  // Sorted account by account, because each is read alone: rows of all at once would be sorted on disk.
  await sql`
    declare digest_rows no scroll cursor for
    select a.name as account, a.label, r.*
    from ${tableOf(accounts, 'a', {
      id: ['integer', ({ id }) => id],
      name: ['text', ({ name }) => name],
      label: ['text', ({ label }) => label],
    })}
    cross join lateral (
      select d.day, d.callset_id as "callsetId", d.campaign,
        d.attempts, d.busies, d.connects, d.live_answers as "liveAnswers",
        case when s.provisional then 'provisional' when d.restated_at is not null then 'restated' else 'loaded' end as status, d.extra
      from etl.campaign_days d
      join warehouse.account_days s on s.account_id = d.account_id and s.day = d.day
        and s.day between ${from}::date and ${to}::date
      where d.account_id = a.id and d.day between ${from}::date and ${to}::date and d.withdrawn_at is null
      order by d.day, d.callset_id) r
  `.execute(snapshot);
  const page = sql<DigestRow>`fetch ${sql.lit(rowsPerPage)} from digest_rows`;
  let rows: readonly DigestRow[];
  do {
    ({ rows } = await page.execute(snapshot));
    if (rows.length > 0) yield rows;
  } while (rows.length === rowsPerPage);
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
  // A value with more digits than a double is an id, and so is one that begins with a zero.
  const extra = await sql<ExtraColumn>`
    select e.field, v.is_numeric as "isNumeric"
    from unnest(${extraFields}::text[]) with ordinality e (field, place)
    cross join lateral (
      select bool_and(value ~ '^-?(0|[1-9]\\d*)(\\.\\d+)?$' and length(translate(value, '-.', '')) <= 15) as is_numeric
      from (
        select d.extra ->> e.field as value from etl.campaign_days d
        where d.account_id = any(${ids}::integer[]) and d.day = any(${days}::date[]) and d.withdrawn_at is null) d
      where value is not null) v
    where v.is_numeric is not null
    order by e.place
  `.execute(queries);
  return { ...rows[0]!, extraFields: extra.rows };
}
