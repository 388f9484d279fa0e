import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { isDelivered, openStates } from '../outbox/deliveries.ts';
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
  'etl.refused_tokens',
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
 * accounts' responses share are kept. A mail about several accounts loses its message, but its rows stay: it isn't
 * sent again, and the others are corrected. An alert or error that contains the account's name or label is erased, even if it is about
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

  // A mail that nobody got tells nothing, and one about this account alone is all about it. A period of such a mail stays
  // decided: without a row, it would be due again.
  const mails = sql`(select mail_id from etl.mailed_periods where account_id = ${id} and mail_id is not null)`;
  const isAlone = sql`not exists (
    select from etl.mailed_periods o where o.mail_id = m.mail_id and o.account_id <> ${id})`;
  await sql`
    insert into etl.mailed_periods (name, every, day, state)
    select distinct m.name, m.every, m.day, 'skipped'
    from etl.mailed_periods m
    where m.mail_id in ${mails} and ${isAlone} and ${isDelivered(sql`m.mail_id`)}
    on conflict do nothing
  `.execute(transaction);
  const { rows: gone } = await sql<{ id: number }>`
    select m.mail_id as id from etl.mails m
    where m.mail_id in ${mails} and (${isAlone} or not ${isDelivered(sql`m.mail_id`)})
  `.execute(transaction);
  const isGone = sql<SqlBool>`mail_id = any(${gone.map((mail) => mail.id)}::bigint[])`;
  for (const table of ['etl.deliveries', 'etl.mailed_periods', 'etl.mails']) await deleteFrom(table, isGone);
  const isOpen = sql<SqlBool>`state in (${sql.join(openStates)})`;
  await run(
    'etl.deliveries',
    'not sent any more',
    sql`update etl.deliveries
      set state = case when ${isOpen} then 'refused' else state end,
        reply = case when ${isOpen} then 'an account in it was erased' else reply end,
        skipped_at = clock_timestamp(), changed_at = clock_timestamp()
      where mail_id in ${mails} and skipped_at is null and state not in ('sent', 'written')`,
  );
  await run(
    'etl.mails',
    'message',
    sql`update etl.mails set mime = null, subject = null where mail_id in ${mails}`,
  );
  await deleteFrom('etl.mailed_periods', sql`account_id = ${id} and mail_id is null`);
  await run(
    'etl.mailed_periods',
    'account and figures',
    sql`update etl.mailed_periods
      set account_id = null, state = 'erased', content = null, lacking_days = '{}', attempts = null, busies = null,
        connects = null, live_answers = null, connect_rate_connects = null, connect_rate_attempts = null
      where account_id = ${id}`,
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
