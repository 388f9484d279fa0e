import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { commandLine } from '../../support/commands.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { openStates } from '../outbox/deliveries.ts';
import { hasQueue } from '../queries/dead-windows.ts';

/** Tables whose rows each belong to one account, in an order that their keys allow. */
export const accountTables = [
  'warehouse.campaign_day_restatements',
  'warehouse.campaign_days',
  'warehouse.account_days',
  'etl.client_absences',
  'etl.past_client_versions',
  'etl.past_client_balances',
  'warehouse.clients',
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
  for (const { table, what, where } of await partsOf(queries, account)) {
    const { rows } = await sql<{ rows: number }>`
      select count(*) as rows from ${sql.table(table)} where ${where}`.execute(queries);
    if (rows[0]!.rows > 0) counted.push({ table, rows: rows[0]!.rows, what });
  }
  return counted;
}

/**
 * Erases an account and what is known of it, in one transaction, and gives the same. Whoever loads it meanwhile waits,
 * and then finds no account (`isErased`); others load theirs until the archive's turn comes. Where other accounts have
 * the same responses, these keep their bodies; what was mailed of several accounts keeps its recipients and its place
 * in the outbox, so that it isn't mailed again.
 */
export async function forgetAccount(
  warehouse: Warehouse,
  account: ForgettableAccount,
): Promise<ForgottenRows[]> {
  return await inTransaction(warehouse, async (transaction) => {
    await sql`select from warehouse.accounts where account_id = ${account.id} for update`.execute(
      transaction,
    );
    const erased: ForgottenRows[] = [];
    for (const { table, what, forget } of await partsOf(transaction, account)) {
      // Last, and not against readers: a load of another account waits, and then sees which bodies are left.
      if (table === 'etl.response_bodies')
        await sql`lock table etl.response_bodies in exclusive mode`.execute(transaction);
      const { numAffectedRows = 0n } = await forget.execute(transaction);
      if (numAffectedRows > 0n) erased.push({ table, rows: Number(numAffectedRows), what });
    }
    return erased;
  });
}

async function partsOf(queries: Queries, account: ForgettableAccount): Promise<Part[]> {
  const names = namesIt(account, await readForgettable(queries));
  const queue = await hasQueue(queries);
  const own = sql<SqlBool>`account_id = ${account.id}`;
  return [
    ...(queue
      ? [deleted('etl_queue.job', sql`(data -> 'task' -> 'account' ->> 'id')::bigint = ${account.id}`)]
      : []),
    ...digestParts(account),
    deleted('etl.alerts', alertsOf(account, names)),
    runPart(account, names),
    changed(
      'warehouse.accounts',
      'link to its clients',
      sql`client_account_id = ${account.id} and account_id <> ${account.id}`,
      sql`client_account_id = null, client_id = null`,
    ),
    ...accountTables.flatMap((table) => [
      ...(table === 'etl.responses' ? [deleted('etl.response_bodies', bodiesOf(account))] : []),
      deleted(table, own),
    ]),
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
 * message and subject go, and nobody is asked any more to send what hasn't been, or may not have been.
 */
function digestParts({ name }: ForgettableAccount): Part[] {
  const reports = sql<SqlBool>`reported @> ${JSON.stringify([{ account: name }])}::jsonb`;
  const deliveriesOf = (accounts: RawBuilder<SqlBool>) =>
    sql<SqlBool>`digest_id in (select digest_id from etl.digests where ${reports} and ${accounts})`;
  const alone = sql<SqlBool>`jsonb_array_length(reported) = 1`;
  const open = sql<SqlBool>`state in (${sql.join(openStates)})`;
  return [
    deleted('etl.deliveries', deliveriesOf(alone)),
    changed(
      'etl.deliveries',
      'not sent any more',
      sql`${deliveriesOf(sql`not ${alone}`)} and skipped_at is null and state not in ('sent', 'written')`,
      sql`state = case when ${open} then 'refused' else state end,
        reply = case when ${open} then 'an account in it was erased' else reply end, skipped_at = clock_timestamp(), changed_at = clock_timestamp()`,
    ),
    changed(
      'etl.digests',
      'message and figures',
      reports,
      sql`state = case when ${alone} then 'skipped' else state end, reported = null, mime = null, subject = null`,
    ),
  ];
}

/** Whether a free text names the account. */
type NamesIt = (text: RawBuilder<unknown>) => RawBuilder<SqlBool>;

/** Keys of alerts are CODE/account or CODE/account/reason; those of digests and of whole runs know accounts by their title alone. */
const alertsOf = ({ name }: ForgettableAccount, names: NamesIt) => sql<SqlBool>`
  case when alert ~ '/' and alert !~ '^DIGEST_INCOMPLETE/|/.+/digest$' then split_part(alert, '/', 2) = ${name}
    else ${names(sql`title`)} end`;

/** What runs recorded of it: its failures, the error that ended them where that names it, and its command lines. */
function runPart({ name }: ForgettableAccount, names: NamesIt): Part {
  const vars = sql`${JSON.stringify({ name })}::jsonb`;
  const failed = sql<SqlBool>`jsonb_path_exists(summary, '$.failures[*] ? (@.account == $name)', ${vars})`;
  const others = sql`jsonb_path_query_array(summary, '$.failures[*] ? (!(@.account == $name))', ${vars})`;
  const rest = sql`case when ${failed} then jsonb_set(summary, '{failures}', ${others}) else summary end`;
  const ended = names(sql`summary ->> 'ended'`);
  const [asTwo, asOne] = [commandLine('--account', name), commandLine(`--account=${name}`)];
  const typed = (words: string) => sql`strpos(' ' || command || ' ', ${` ${words} `}) > 0`;
  const commanded = sql<SqlBool>`(${typed(asTwo)} or ${typed(asOne)})`;
  return changed(
    'etl.runs',
    'what they recorded of it',
    sql`(${failed} or ${ended} or ${commanded})`,
    // A run that waits goes by whether an error ended its last attempt: the key stays.
    sql`summary = case when ${ended} then jsonb_set(${rest}, '{ended}', '"an error of an account that was erased"') else ${rest} end,
      command = case when ${commanded} then split_part(command, ' ', 1) else command end`,
  );
}

/** Its name or label where it stands by itself, and is no part of the longer name or label of another account. */
function namesIt({ id, name, label }: ForgettableAccount, known: readonly ForgettableAccount[]): NamesIt {
  const longer = known
    .filter((each) => each.id !== id)
    .flatMap((each) => [each.name, each.label])
    .filter((text) => [name, label].some((own) => text !== own && text.includes(own)));
  return (text) => {
    const left = longer.length === 0 ? text : sql`regexp_replace(${text}, ${standing(longer)}, '', 'g')`;
    return sql<SqlBool>`coalesce(${left} ~ ${standing([name, label])}, false)`;
  };
}

/** A pattern of Postgres for texts that stand by themselves, perhaps at the end of a sentence. */
function standing(texts: readonly string[]): string {
  const quoted = texts.map((text) => text.replaceAll(/[^\p{L}\p{N}]/gu, '\\$&'));
  return `(?<![[:alnum:]._-])(${quoted.join('|')})(?![[:alnum:]_-]|\\.[[:alnum:]])`;
}
