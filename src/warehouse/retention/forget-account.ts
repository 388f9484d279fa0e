import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { openStates } from '../outbox/deliveries.ts';
import { hasQueue } from '../queries/dead-windows.ts';

/** Tables whose rows each belong to one account, in the order of deletion: foreign keys require it. */
export const accountTables = [
  'warehouse.campaign_day_restatements',
  'etl.campaign_days',
  'etl.campaigns',
  'etl.past_account_days',
  'etl.missed_clients',
  'etl.past_client_versions',
  'etl.past_client_balances',
  'etl.past_client_absences',
  'warehouse.clients',
  'etl.complete_through',
  'etl.windows',
  'etl.rejects',
  'etl.responses',
  'etl.walks',
] as const;

/** A number of rows of a table, and what is erased of them: `rows`, or a part of each. */
export type ForgottenRows = { readonly table: string; readonly what: string; readonly rows: number };

/** An account by its key, with the names that texts use for it. */
export type ForgettableAccount = {
  readonly id: number;
  readonly name: string;
  readonly label: string;
};

/** Returns all accounts of the warehouse, retired ones included, by name. */
export async function readForgettable(queries: Queries): Promise<ForgettableAccount[]> {
  return await queries
    .selectFrom('warehouse.accounts')
    .select(['account_id as id', 'name', 'label'])
    .orderBy('name')
    .execute();
}

/**
 * Erases an account and all that is known of it, in one transaction. Loads of this account wait meanwhile, then
 * find it gone (`isErased`); loads of other accounts wait only once the archive is locked. Bodies that other
 * accounts' responses share are kept. A digest about several accounts loses its message, but its rows stay: it
 * isn't sent again. An alert or error that contains the account's name or label is erased, even if it is about
 * another account: a later run finds that one's alerts again.
 */
export async function forgetAccount(
  warehouse: Warehouse,
  account: ForgettableAccount,
): Promise<ForgottenRows[]> {
  return await inTransaction(warehouse, (transaction) => erase(transaction, account));
}

/** Returns what `forgetAccount` would erase: it erases that and rolls back. */
export async function previewForget(
  warehouse: Warehouse,
  account: ForgettableAccount,
): Promise<ForgottenRows[]> {
  return await inTransaction(warehouse, async (transaction) => {
    await sql`savepoint before`.execute(transaction);
    const erased = await erase(transaction, account);
    await sql`rollback to savepoint before`.execute(transaction);
    return erased;
  });
}

async function erase(transaction: Transaction, account: ForgettableAccount): Promise<ForgottenRows[]> {
  const { id } = account;
  const erased: ForgottenRows[] = [];
  async function run(table: string, what: string, statement: RawBuilder<unknown>): Promise<void> {
    const { numAffectedRows = 0n } = await statement.execute(transaction);
    if (numAffectedRows > 0n) erased.push({ table, what, rows: Number(numAffectedRows) });
  }
  const deleteFrom = (table: string, where: RawBuilder<SqlBool>) =>
    run(table, 'rows', sql`delete from ${sql.table(table)} where ${where}`);

  await sql`select from warehouse.accounts where account_id = ${id} for update`.execute(transaction);
  if (await hasQueue(transaction))
    await deleteFrom('etl_queue.job', sql`(data -> 'task' -> 'account' ->> 'id')::bigint = ${id}`);

  // A digest's row stays: without it, the digest would be due again. `reported` goes, so the digest is never
  // corrected: a correction would lack this account. A digest about this account alone counts as skipped.
  const reports = sql<SqlBool>`reported @> ${JSON.stringify([{ account: account.name }])}::jsonb`;
  const isAlone = sql<SqlBool>`jsonb_array_length(reported) = 1`;
  const isOpen = sql<SqlBool>`state in (${sql.join(openStates)})`;
  await deleteFrom(
    'etl.deliveries',
    sql`digest_id in (select digest_id from etl.digests where ${reports} and ${isAlone})`,
  );
  await run(
    'etl.deliveries',
    'not sent any more',
    sql`update etl.deliveries
      set state = case when ${isOpen} then 'refused' else state end,
        reply = case when ${isOpen} then 'an account in it was erased' else reply end,
        skipped_at = clock_timestamp(), changed_at = clock_timestamp()
      where digest_id in (select digest_id from etl.digests where ${reports} and not ${isAlone})
        and skipped_at is null and state not in ('sent', 'written')`,
  );
  await run(
    'etl.digests',
    'message and figures',
    sql`update etl.digests
      set state = case when ${isAlone} then 'skipped' else state end, reported = null, mime = null, subject = null
      where ${reports}`,
  );

  const names = namesIt(account);
  await deleteFrom('etl.alerts', names(sql`concat_ws(' ', alert, title, dismissed::text)`));
  await run(
    'etl.runs',
    'what they recorded of it',
    // `ended` keeps a text: without one, the alert about the last run's error would end.
    sql`update etl.runs
      set command = case when ${names(sql`command`)} then split_part(command, ' ', 1) else command end,
        summary = jsonb_set(
          case when ${names(sql`summary ->> 'ended'`)}
            then jsonb_set(summary, '{ended}', '"an error of an account that was erased"') else summary end,
          '{failures}',
          (select coalesce(jsonb_agg(f), '[]') from jsonb_array_elements(summary -> 'failures') f
           where not ${names(sql`f::text`)}))
      where ${names(sql`concat_ws(' ', command, summary ->> 'ended', summary ->> 'failures')`)}`,
  );
  await run(
    'warehouse.accounts',
    'link to its clients',
    sql`update warehouse.accounts set listed_by_account_id = null, listed_client_id = null
      where listed_by_account_id = ${id} and account_id <> ${id}`,
  );

  for (const table of accountTables) {
    if (table === 'etl.responses') await eraseBodies();
    await deleteFrom(table, sql`account_id = ${id}`);
  }
  await deleteFrom('warehouse.accounts', sql`account_id = ${id}`);
  return erased;

  /** Erases the bodies that no response of another account has. */
  async function eraseBodies(): Promise<void> {
    // Blocks writers, not readers: a load of another account waits, then sees which bodies are left.
    await sql`lock table etl.response_bodies in exclusive mode`.execute(transaction);
    await deleteFrom(
      'etl.response_bodies',
      sql`sha256 in (select f.sha256 from etl.responses f where f.account_id = ${id})
        and not exists (
          select from etl.responses o where o.sha256 = etl.response_bodies.sha256 and o.account_id <> ${id})`,
    );
  }
}

/** Returns a condition on a text: it contains the account's name or label, as it is or within JSON. */
function namesIt({ name, label }: ForgettableAccount) {
  const texts = [name, label].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  return (text: RawBuilder<unknown>) =>
    sql<SqlBool>`exists (select from unnest(${texts}::text[]) own where strpos(${text}, own) > 0)`;
}
