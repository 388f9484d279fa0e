import { zstdCompressSync } from 'node:zlib';
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { ServiceResponse, SummaryEnvelope } from '../../model/records.ts';
import type { WindowResponse } from '../../model/window.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { anyOf, tableOf, transactionTime } from '../db/expressions.ts';
import type { ArchivedDecision } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/** A response with its decision, as the archive stores it. */
export type Fetch = {
  readonly runId: number;
  readonly accountId: number;
  /** Day that was requested; null for clients. */
  readonly day: Day | null;
  /** The walk that it belongs to; null for campaigns. */
  readonly walk: number | null;
  readonly response: ServiceResponse;
  /** Its body is archived already: it isn't compressed and sent again. */
  readonly isBodyArchived?: boolean;
  /** Time just before the request, by the database's clock. */
  readonly fetchedAt: string;
  readonly decision: ArchivedDecision;
  /** All that it says beside its records, or in the place of a list; null if that is nothing. */
  readonly sign: string | null;
  /** The fields next to campaigns; clients have none. */
  readonly envelope?: SummaryEnvelope & { readonly isOver: boolean };
};

/**
 * Archives responses, each distinct body once, in the transaction that follows the decision. A known body is only
 * marked as referenced, at most once an hour: many windows share one, such as that of an empty day.
 */
export async function archiveResponses(transaction: Transaction, fetches: readonly Fetch[]): Promise<void> {
  const unknown = fetches.filter(({ isBodyArchived }) => isBodyArchived !== true);
  const distinct = new Map(unknown.map(({ response }) => [response.sha256.toString('hex'), response]));
  const bodies = tableOf([...distinct.values()], 'b', {
    sha256: ['bytea', ({ sha256 }) => sha256],
    size: ['bigint', ({ body }) => body.byteLength],
    zstd: ['bytea', ({ body }) => zstdCompressSync(body)],
  });
  const hashes = tableOf(fetches, 'h', { sha256: ['bytea', ({ response }) => response.sha256] });
  const responses = tableOf(fetches, 'f', {
    run_id: ['bigint', (fetch) => fetch.runId],
    account_id: ['integer', (fetch) => fetch.accountId],
    operation: ['text', (fetch) => fetch.response.operation],
    day: ['date', (fetch) => fetch.day],
    walk_id: ['bigint', (fetch) => fetch.walk],
    request: ['jsonb', (fetch) => JSON.stringify(fetch.response.parameters)],
    fetched_at: ['timestamptz', (fetch) => fetch.fetchedAt],
    status: ['integer', (fetch) => fetch.response.status],
    sha256: ['bytea', (fetch) => fetch.response.sha256],
    decision: ['text', (fetch) => fetch.decision],
    rows: ['integer', ({ envelope }) => envelope?.rows ?? null],
    counts: ['jsonb', ({ envelope }) => (envelope ? JSON.stringify(envelope.counts) : null)],
    sign: ['text', ({ sign }) => sign],
    day_ended: ['boolean', ({ envelope }) => envelope?.isOver ?? null],
  });
  // Ordered by hash, so that two transactions can't deadlock.
  await sql`
    with kept as (
      insert into etl.response_bodies (sha256, size, zstd)
      select sha256, size, zstd from ${bodies}
      order by sha256
      on conflict (sha256) do nothing),
    referenced as (
      update etl.response_bodies k set referenced_at = now()
      from (
        select o.sha256 from etl.response_bodies o
        where o.referenced_at < now() - interval '1 hour' and o.sha256 in (select sha256 from ${hashes})
        order by o.sha256
        for no key update) o
      where k.sha256 = o.sha256)
    insert into etl.responses
      (run_id, account_id, operation, day, walk_id, request, fetched_at, status, sha256, decision,
        rows, counts, sign, day_ended)
    select run_id, account_id, operation, day, walk_id, request, fetched_at, status, sha256, decision,
      rows, counts, sign, day_ended
    from ${responses}
  `.execute(transaction);
}

/**
 * Archives the response of a window with its decision. One that is archived already, of a replay, gets the newest
 * decision.
 *
 * @param isBodyArchived its body is archived already
 */
export async function archiveDecision(
  transaction: Transaction,
  window: WindowResponse,
  decision: ArchivedDecision,
  isBodyArchived = false,
): Promise<void> {
  const { isOver, response } = window;
  const envelope = { ...window.envelope, isOver };
  const sign = envelope.emptyBy ?? (envelope.remarks.join('; ') || null);
  if (typeof response !== 'number') {
    const fetch = { ...window, response, walk: null, envelope, sign, decision, isBodyArchived };
    await archiveResponses(transaction, [fetch]);
    return;
  }
  await transaction
    .updateTable('etl.responses')
    .set({
      decision,
      decided_at: transactionTime,
      rows: envelope.rows,
      counts: JSON.stringify(envelope.counts),
      sign,
      day_ended: isOver,
    })
    .where('response_id', '=', response)
    .execute();
}

/**
 * Returns those of the responses whose body is archived. Neither `forget` nor pruning deletes one before the
 * transaction ends: its locks of rows hold off both.
 */
export async function lockArchivedBodies(
  transaction: Transaction,
  responses: readonly ServiceResponse[],
): Promise<ReadonlySet<ServiceResponse>> {
  const hashes = responses.map(({ sha256 }) => sha256);
  const archived = await transaction
    .selectFrom('etl.response_bodies')
    .select(sql<string>`encode(sha256, 'hex')`.as('hash'))
    .where('sha256', '=', anyOf(hashes))
    .orderBy('sha256')
    .forKeyShare()
    .execute();
  const archivedHashes = new Set(archived.map(({ hash }) => hash));
  return new Set(responses.filter(({ sha256 }) => archivedHashes.has(sha256.toString('hex'))));
}

/**
 * Archives a response that couldn't be used, at once and in its own transaction.
 *
 * @param sign all that it says, if it is an unknown answer
 * @param elapsedMs since its request was sent
 */
export async function archiveDiscarded(
  warehouse: Warehouse,
  { runId, account, day }: { readonly runId: number; readonly account: string; readonly day: Day | null },
  response: ServiceResponse,
  elapsedMs: number,
  sign: string | null = null,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    const source = await transaction
      .selectFrom('warehouse.accounts')
      .select([
        'account_id as accountId',
        sql<string>`clock_timestamp() - make_interval(secs => ${elapsedMs / 1000}::float8)`.as('fetchedAt'),
      ])
      .where('name', '=', account)
      // Locks the account before the bodies, as `forget` does.
      .forKeyShare()
      .executeTakeFirstOrThrow();
    await archiveResponses(transaction, [
      {
        ...source,
        runId,
        day,
        walk: null,
        response,
        sign,
        decision: 'discarded',
      },
    ]);
  });
}

/** Deletes the bodies that no response of the last `days` had. Returns their number and compressed bytes. */
export async function pruneBodies(
  queries: Queries,
  days: number,
): Promise<{ readonly bodies: number; readonly bytes: number }> {
  return await queries
    .with('pruned', (db) =>
      db
        .deleteFrom('etl.response_bodies')
        .where('referenced_at', '<', sql<string>`now() - make_interval(days => ${days})`)
        .returning(sql<number>`length(zstd)`.as('bytes')),
    )
    .selectFrom('pruned')
    .select(({ fn }) => [
      fn.countAll<number>().as('bodies'),
      sql<number>`coalesce(sum(bytes), 0)::bigint`.as('bytes'),
    ])
    .executeTakeFirstOrThrow();
}
