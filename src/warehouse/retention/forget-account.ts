import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries, Warehouse } from '../db/database.ts';
import { inSnapshot, inTransaction } from '../db/transaction.ts';
import { isDelivered, openStates } from '../outbox/deliveries.ts';

/** Tables whose rows each belong to one account, in the order of deletion: foreign keys require it. */
export const accountTables = [
  'warehouse.campaign_day_restatements',
  'etl.accepted',
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
 * accounts' responses share are kept. A mail about several accounts loses its message, but its rows stay: it isn't
 * sent again, and the others are corrected. An alert or error that contains the account's name or label is erased, even if it is about
 * another account: a later run finds that one's alerts again.
 */
export async function forgetAccount(
  warehouse: Warehouse,
  account: ForgettableAccount,
): Promise<ForgottenRows[]> {
  const { id } = account;
  return await inTransaction(warehouse, async (transaction) => {
    await sql`select from warehouse.accounts where account_id = ${id} for update`.execute(transaction);
    const steps = await stepsOf(transaction, account);
    // A period of a mail about it alone stays decided: without a row, it would be due again.
    await sql`
      insert into etl.mailed_periods (name, every, day, state)
      select distinct m.name, m.every, m.day, 'skipped'
      from etl.mailed_periods m
      where m.mail_id in ${mailsAbout(id)} and ${isAlone(id)} and ${isDelivered(sql`m.mail_id`)}
      on conflict do nothing
    `.execute(transaction);
    return await countEach(steps, async ({ table, where, set }) => {
      // Blocks writers, not readers: a load of another account waits, then sees which bodies are left.
      if (table === 'etl.response_bodies')
        await sql`lock table etl.response_bodies in exclusive mode`.execute(transaction);
      const name = sql.table(table);
      const change = set === undefined ? sql`delete from ${name}` : sql`update ${name} set ${set}`;
      const changed = sql`${change} where ${where}`;
      return Number((await changed.execute(transaction)).numAffectedRows);
    });
  });
}

/** Returns what `forgetAccount` would erase. It only counts. */
export async function previewForget(
  warehouse: Warehouse,
  account: ForgettableAccount,
): Promise<ForgottenRows[]> {
  return await inSnapshot(warehouse, '5min', async (snapshot) =>
    countEach(await stepsOf(snapshot, account), async ({ table, where }) => {
      const counted = sql<{
        rows: number;
      }>`select count(*)::integer as rows from ${sql.table(table)} where ${where}`;
      return (await counted.execute(snapshot)).rows[0]!.rows;
    }),
  );
}

/** Rows of a table, which are deleted or, with `set`, changed. */
type Step = {
  readonly table: string;
  readonly what: string;
  readonly where: RawBuilder<SqlBool>;
  readonly set?: RawBuilder<unknown>;
};

async function countEach(
  steps: readonly Step[],
  count: (step: Step) => Promise<number>,
): Promise<ForgottenRows[]> {
  const counted: ForgottenRows[] = [];
  for (const step of steps) counted.push({ table: step.table, what: step.what, rows: await count(step) });
  return counted.filter(({ rows }) => rows > 0);
}

/** The steps in their order, as foreign keys require it. None finds other rows because an earlier one was done. */
async function stepsOf(queries: Queries, account: ForgettableAccount): Promise<Step[]> {
  const { id } = account;
  const deleted = (table: string, where: RawBuilder<SqlBool>): Step => ({ table, what: 'rows', where });
  const ofAccount = sql<SqlBool>`account_id = ${id}`;
  const isOpen = sql<SqlBool>`state in (${sql.join(openStates)})`;
  const names = namesIt(account);
  // The queue of distributed runs may never have been set up.
  const { hasQueue } = await queries
    .selectNoFrom(sql<boolean>`to_regclass('etl_queue.job') is not null`.as('hasQueue'))
    .executeTakeFirstOrThrow();

  // A mail that nobody got reports nothing, and one about this account alone is all about it.
  const { rows: gone } = await sql<{ id: number }>`
    select m.mail_id as id from etl.mails m
    where m.mail_id in ${mailsAbout(id)} and (${isAlone(id)} or not ${isDelivered(sql`m.mail_id`)})
  `.execute(queries);
  const isGone = sql<SqlBool>`mail_id = any(${gone.map((mail) => mail.id)}::bigint[])`;
  // The bodies that no response of another account has.
  const bodies = deleted(
    'etl.response_bodies',
    // One by one, by their key: a join could read the responses of all accounts.
    sql`sha256 = any(array(select distinct f.sha256 from etl.responses f where f.account_id = ${id}))
      and (
        select true from etl.responses o
        where o.sha256 = etl.response_bodies.sha256 and o.account_id <> ${id} limit 1) is null`,
  );

  return [
    ...(hasQueue
      ? [deleted('etl_queue.job', sql`(data -> 'task' -> 'account' ->> 'id')::bigint = ${id}`)]
      : []),
    ...['etl.deliveries', 'etl.mailed_periods', 'etl.mails'].map((table) => deleted(table, isGone)),
    {
      table: 'etl.deliveries',
      what: 'not sent any more',
      where: sql`mail_id in ${mailsAbout(id)} and not ${isGone}
        and skipped_at is null and state not in ('sent', 'written')`,
      set: sql`
        state = case when ${isOpen} then 'given_up' else state end,
        reply = case when ${isOpen} then 'an account in it was erased' else reply end,
        skipped_at = clock_timestamp(), changed_at = clock_timestamp()`,
    },
    {
      table: 'etl.mails',
      what: 'message',
      where: sql`mail_id in ${mailsAbout(id)} and not ${isGone}`,
      set: sql`mime = null, subject = null`,
    },
    deleted('etl.mailed_periods', sql`${ofAccount} and mail_id is null`),
    {
      table: 'etl.mailed_periods',
      what: 'account and figures',
      where: sql`${ofAccount} and mail_id is not null and not ${isGone}`,
      set: sql`
        account_id = null, state = 'erased', content = null, lacking_days = '{}', attempts = null, busies = null,
        connects = null, live_answers = null, connect_rate_connects = null, connect_rate_attempts = null`,
    },
    deleted('etl.alerts', names(sql`concat_ws(' ', alert, title, dismissed::text)`)),
    {
      table: 'etl.runs',
      what: 'what they recorded of it',
      where: names(sql`concat_ws(' ', command, summary ->> 'ended', summary ->> 'failures')`),
      // `ended` keeps a text: without one, the alert about the last run's error would end.
      set: sql`
        command = case when ${names(sql`command`)} then split_part(command, ' ', 1) else command end,
        summary = jsonb_set(
          case when ${names(sql`summary ->> 'ended'`)}
            then jsonb_set(summary, '{ended}', '"an error of an account that was erased"') else summary end,
          '{failures}',
          (select coalesce(jsonb_agg(jsonb_set(cause, '{places}', places)), '[]')
           from jsonb_array_elements(summary -> 'failures') cause, lateral (
             select jsonb_agg(place) as places from jsonb_array_elements(cause -> 'places') place
             where not ${names(sql`place::text`)}) others
           where places is not null and not ${names(sql`cause ->> 'detail'`)}))`,
    },
    {
      table: 'warehouse.accounts',
      what: 'link to its clients',
      where: sql`listed_by_account_id = ${id} and account_id <> ${id}`,
      set: sql`listed_by_account_id = null, listed_client_id = null`,
    },
    ...accountTables
      .map((table) => deleted(table, ofAccount))
      .toSpliced(accountTables.indexOf('etl.responses'), 0, bodies),
    deleted('warehouse.accounts', ofAccount),
  ];
}

const mailsAbout = (id: number) =>
  sql`(select mail_id from etl.mailed_periods where account_id = ${id} and mail_id is not null)`;

/** `m`, a mail or a period of it, is about this account alone. */
const isAlone = (id: number) => sql<SqlBool>`not exists (
  select from etl.mailed_periods o where o.mail_id = m.mail_id and o.account_id <> ${id})`;

/** Returns a condition on a text: it contains the account's name or label, as it is or within JSON. */
function namesIt({ name, label }: ForgettableAccount) {
  const texts = [name, label].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  return (text: RawBuilder<unknown>) =>
    sql<SqlBool>`exists (select from unnest(${texts}::text[]) own where strpos(${text}, own) > 0)`;
}
