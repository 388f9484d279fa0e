import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries, Warehouse } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { hasQueue } from '../queries/dead-windows.ts';

/** Tables whose rows each belong to one account, in an order that their keys allow. */
export const accountTables = [
  'warehouse.campaign_day_restatements',
  'warehouse.campaign_days',
  'warehouse.account_days',
  'warehouse.campaigns',
  'etl.client_absences',
  'etl.past_client_versions',
  'etl.past_client_balances',
  'warehouse.clients',
  'etl.client_walks',
  'etl.client_size_fields',
  'etl.ended_count_comparisons',
  'etl.windows',
  'etl.rejects',
  'etl.responses',
  'etl.walks',
] as const;

/** What is known of an account in a table: how many rows, and what becomes of them. */
export type ForgottenRows = {
  readonly table: string;
  readonly rows: number;
  /** `rows`: they are deleted; otherwise the part of them that is about the account. */
  readonly what: string;
};

/** An account by its key, and the names that texts know it by. */
export type ForgettableAccount = {
  readonly id: number;
  readonly name: string;
  readonly label: string;
};

/** Every account that the warehouse knows, retired ones included, by name. */
export async function readForgettable(queries: Queries): Promise<ForgettableAccount[]> {
  return await queries
    .selectFrom('warehouse.accounts')
    .select(['account_id as id', 'name', 'label'])
    .orderBy('name')
    .execute();
}

/** A part of what is known: which rows, and the statement that forgets them. */
type Part = {
  readonly table: string;
  readonly what: string;
  readonly where: RawBuilder<SqlBool>;
  readonly forget: RawBuilder<unknown>;
};

/** How much is known of an account, table by table: what `forgetAccount` would erase. Tables without any are left out. */
export async function countAccount(queries: Queries, account: ForgettableAccount): Promise<ForgottenRows[]> {
  const counted: ForgottenRows[] = [];
  for (const { table, what, where } of partsOf(account, await hasQueue(queries))) {
    const { rows } = await sql<{ rows: number }>`
      select count(*) as rows from ${sql.table(table)} where ${where}`.execute(queries);
    if (rows[0]!.rows > 0) counted.push({ table, rows: rows[0]!.rows, what });
  }
  return counted;
}

/**
 * Erases an account and what is known of it, in one transaction, and gives the same. Whoever loads it meanwhile, from
 * other settings, fails at its ledger. Where other accounts have the same responses, these keep their bodies; what was
 * mailed of several accounts keeps its recipients and its place in the outbox, so that it isn't mailed again.
 */
export async function forgetAccount(
  warehouse: Warehouse,
  account: ForgettableAccount,
): Promise<ForgottenRows[]> {
  return await inTransaction(warehouse, async (transaction) => {
    // A load that begins now waits, and then finds neither the account nor a body that is no longer there.
    await sql`lock table etl.response_bodies in access exclusive mode`.execute(transaction);
    await sql`select from warehouse.accounts where account_id = ${account.id} for update`.execute(
      transaction,
    );
    const erased: ForgottenRows[] = [];
    for (const { table, what, forget } of partsOf(account, await hasQueue(transaction))) {
      const { numAffectedRows = 0n } = await forget.execute(transaction);
      if (numAffectedRows > 0n) erased.push({ table, rows: Number(numAffectedRows), what });
    }
    return erased;
  });
}

function partsOf(account: ForgettableAccount, queue: boolean): Part[] {
  const own = sql<SqlBool>`account_id = ${account.id}`;
  return [
    ...(queue
      ? [deleted('etl_queue.job', sql`(data -> 'task' -> 'account' ->> 'id')::bigint = ${account.id}`)]
      : []),
    ...digestParts(account),
    deleted('etl.alerts', sql`concat_ws(' ', alert, title) ~ ${mention(account)}`),
    ...runParts(account),
    deleted('etl.response_bodies', bodiesOf(account)),
    ...accountTables.map((table) => deleted(table, own)),
    changed(
      'warehouse.accounts',
      'link to its clients',
      sql`client_account_id = ${account.id} and account_id <> ${account.id}`,
      sql`client_account_id = null, client_id = null`,
    ),
    deleted('warehouse.accounts', own),
  ];
}

function deleted(table: string, where: RawBuilder<SqlBool>): Part {
  return { table, what: 'rows', where, forget: sql`delete from ${sql.table(table)} where ${where}` };
}

function changed(table: string, what: string, where: RawBuilder<SqlBool>, set: RawBuilder<unknown>): Part {
  return { table, what, where, forget: sql`update ${sql.table(table)} set ${set} where ${where}` };
}

/** Bodies that no other account's response has. */
const bodiesOf = ({ id }: ForgettableAccount) => sql<SqlBool>`
  sha256 in (select sha256 from etl.responses where account_id = ${id})
  and not exists (
    select from etl.responses o where o.sha256 = etl.response_bodies.sha256 and o.account_id <> ${id})`;

/**
 * A digest stays as what was decided of its period, or it would be due once more; it is never corrected, for then it was
 * about other accounts. One about this account alone counts as skipped, its deliveries go; of one about others, too,
 * message and subject go, and what wasn't sent yet won't be.
 */
function digestParts({ name }: ForgettableAccount): Part[] {
  const reports = sql<SqlBool>`reported @> ${JSON.stringify([{ account: name }])}::jsonb`;
  const deliveriesOf = (accounts: RawBuilder<SqlBool>) =>
    sql<SqlBool>`digest_id in (select digest_id from etl.digests where ${reports} and ${accounts})`;
  const alone = sql<SqlBool>`jsonb_array_length(reported) = 1`;
  return [
    deleted('etl.deliveries', deliveriesOf(alone)),
    changed(
      'etl.deliveries',
      'not sent any more',
      sql`${deliveriesOf(sql`not ${alone}`)} and state in ('pending', 'failed')`,
      sql`state = 'refused', reply = 'an account in it was erased', skipped_at = clock_timestamp(), changed_at = clock_timestamp()`,
    ),
    changed(
      'etl.digests',
      'message and figures',
      reports,
      sql`state = case when ${alone} then 'skipped' else state end, reported = null, mime = null, subject = null`,
    ),
  ];
}

/** What runs recorded of it: its failures, else all that a run recorded; and command lines that name it. */
function runParts(account: ForgettableAccount): Part[] {
  const pattern = mention(account);
  const rest = sql`jsonb_set(summary, '{failures}', coalesce(
    (select jsonb_agg(f) from jsonb_array_elements(summary -> 'failures') f where f::text !~ ${pattern}), '[]'))`;
  return [
    changed(
      'etl.runs',
      'what they recorded of it',
      sql`summary::text ~ ${pattern} or command ~ ${pattern}`,
      sql`summary = case when summary::text !~ ${pattern} then summary when ${rest}::text !~ ${pattern} then ${rest} end,
        command = case when command ~ ${pattern} then split_part(command, ' ', 1) else command end`,
    ),
  ];
}

/** A pattern of Postgres for the account's name or label as a word of its own, as it is or in JSON. */
function mention({ name, label }: ForgettableAccount): string {
  const quoted = (text: string) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(/[^\p{L}\p{N}]/gu, '\\$&');
  return `(^|[^[:alnum:]])(${quoted(name)}|${quoted(label)})([^[:alnum:]]|$)`;
}
