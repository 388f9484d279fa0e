import { type NotNull, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Queries, Transaction } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import { decompress, rereadable } from './read-archive.ts';

/** A page of clients that couldn't be read when it was received; null is the walk of a discarded one. */
export type UnreadPage = {
  readonly id: number;
  readonly walk: number | null;
  readonly runId: number;
  readonly fetchedAt: string;
  readonly status: number | null;
  readonly body: string;
};

/**
 * Ids of the pages of client lists that couldn't be read, by account, of runs from `from` to `to`. Not of those that a
 * later attempt of the run brought readable.
 */
export async function unreadPageIds(
  queries: Queries,
  { from, to }: { readonly from: Day; readonly to: Day },
): Promise<Map<number, readonly number[]>> {
  const { rows } = await sql<{ accountId: number; ids: number[] }>`
    select f.account_id as "accountId", array_agg(f.response_id::float8 order by f.response_id) as ids
    from etl.responses f join etl.runs r using (run_id)
    where f.operation = 'getClients' and f.decision = ${anyOf(rereadable)}
      and r.run_date between ${from} and ${to}
      and not exists (
        select from etl.responses l
        where l.account_id = f.account_id and l.operation = 'getClients' and l.decision = 'loaded'
          and l.run_id = f.run_id and l.request = f.request and l.response_id > f.response_id)
    group by f.account_id
  `.execute(queries);
  return new Map(rows.map(({ accountId, ids }) => [accountId, ids]));
}

/** A page of these; null where its body is no longer kept. */
export async function readUnreadPage(queries: Queries, id: number): Promise<UnreadPage | null> {
  const page = await queries
    .selectFrom('etl.responses as f')
    .innerJoin('etl.response_bodies as b', 'b.sha256', 'f.sha256')
    .select([
      'f.response_id as id',
      'f.walk',
      'f.run_id as runId',
      'f.fetched_at as fetchedAt',
      'f.status',
      'b.zstd',
    ])
    .where('f.response_id', '=', id)
    .$narrowType<{ runId: NotNull }>()
    .executeTakeFirst();
  if (page === undefined) return null;
  const { zstd, ...rest } = page;
  return { ...rest, body: decompress(zstd) };
}

/**
 * Records that a page is loaded after all, as one of its walk. A discarded one is of the walk of its run that had begun
 * when it was requested; where none had, it becomes one itself, which proves nothing.
 */
export async function recordPageRead(transaction: Transaction, page: UnreadPage): Promise<void> {
  const walk = page.walk ?? (await findWalk(transaction, page)) ?? (await addWalk(transaction, page));
  await transaction
    .updateTable('etl.responses')
    .set({ decision: 'loaded', walk })
    .where('response_id', '=', page.id)
    .execute();
}

async function findWalk(transaction: Transaction, page: UnreadPage): Promise<number | null> {
  const walk = await transaction
    .selectFrom('etl.walks as w')
    .innerJoin('etl.responses as f', (join) =>
      join.onRef('f.account_id', '=', 'w.account_id').onRef('f.run_id', '=', 'w.run_id'),
    )
    .select('w.walk_id as id')
    .where('f.response_id', '=', page.id)
    .whereRef('w.started_at', '<=', 'f.fetched_at')
    .orderBy('w.started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return walk?.id ?? null;
}

async function addWalk(transaction: Transaction, page: UnreadPage): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into etl.walks (run_id, account_id, run_date, day, started_at, reason)
    select r.run_id, f.account_id, r.run_date, (f.fetched_at at time zone a.time_zone)::date, f.fetched_at,
      'read from the archive'
    from etl.responses f join etl.runs r using (run_id) join warehouse.accounts a using (account_id)
    where f.response_id = ${page.id}
    returning walk_id as id
  `.execute(transaction);
  return rows[0]!.id;
}

/** Records which rows a page wrote that is loaded after all. */
export async function recordWrittenIds(
  transaction: Transaction,
  id: number,
  writtenIds: readonly number[],
): Promise<void> {
  await sql`update etl.responses set written_ids = ${writtenIds} where response_id = ${id}`.execute(
    transaction,
  );
}
