import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import { Failure } from '../../model/errors.ts';
import type { Account } from '../../model/records.ts';
import { formatCountOf } from '../../support/english.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { anyOf, noneOf, tableOf } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';

/** An account by its key. `since` is its first expected day; null before its first run. */
export type AccountRow = { readonly id: number; readonly name: string; readonly since: Day | null };

/**
 * Updates `warehouse.accounts` from the settings. An unchanged account isn't written; a retired one that is
 * back is active again. Accounts outside these settings stay: another process may have them in its own.
 */
export async function syncAccounts(
  warehouse: Warehouse,
  accounts: readonly Account[],
): Promise<AccountRow[]> {
  const given = tableOf(accounts, 's', {
    name: ['text', (account) => account.name],
    label: ['text', (account) => account.label],
    time_zone: ['text', (account) => account.timeZone],
    list: ['text', (account) => account.client?.account ?? null],
    client_id: ['bigint', (account) => account.client?.id ?? null],
  });
  return await inTransaction(warehouse, async (transaction) => {
    await sql`
      insert into warehouse.accounts as a (name, label, time_zone)
      select name, label, time_zone from ${given}
      on conflict (name) do update
        set label = excluded.label, time_zone = excluded.time_zone, last_expected_day = null
        where (a.label, a.time_zone) is distinct from (excluded.label, excluded.time_zone) or a.last_expected_day is not null
    `.execute(transaction);
    await sql`
      update warehouse.accounts a
      set listed_by_account_id = l.account_id, listed_client_id = s.client_id
      from ${given} left join warehouse.accounts l on l.name = s.list
      where a.name = s.name
        and (a.listed_by_account_id, a.listed_client_id) is distinct from (l.account_id, s.client_id)
    `.execute(transaction);
    return await readAccounts(transaction);
  });
}

/** Returns the accounts whose zone has changed in the settings, by both zones. `syncAccounts` then writes the new one. */
export async function readZoneChanges(
  queries: Queries,
  accounts: readonly Account[],
): Promise<{ readonly former: string; readonly zone: string; readonly names: string[] }[]> {
  const given = tableOf(accounts, 's', {
    name: ['text', (account) => account.name],
    zone: ['text', (account) => account.timeZone],
  });
  const { rows } = await sql<{ former: string; zone: string; names: string[] }>`
    select a.time_zone as former, s.zone, array_agg(a.name order by a.name) as names
    from warehouse.accounts a join ${given} on s.name = a.name
    where a.time_zone <> s.zone group by 1, 2 order by 1, 2
  `.execute(queries);
  return rows;
}

/** SQLSTATE of an invalid argument of a function. */
const invalidParameter = '22023';

/** Throws a Failure if the database doesn't know the zone of an account: newer lists of zones lack old names, and Node has its own. */
export async function requireZones(
  queries: Queries,
  accounts: readonly Pick<Account, 'name' | 'timeZone'>[],
): Promise<void> {
  const zones = [...new Set(accounts.map(({ timeZone }) => timeZone))];
  try {
    await sql`select max(now() at time zone zone) from unnest(${zones}::text[]) zone`.execute(queries);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== invalidParameter) throw error;
    // Postgres names the first unknown zone, in a message of any language.
    const unknown = accounts.filter(({ timeZone }) => message.includes(timeZone));
    const names = unknown.map(({ name, timeZone }) => `account ${name}: ${timeZone}`).join('; ');
    throw new Failure(
      'INVALID_CONFIGURATION',
      `the database doesn't know the time zone of ${formatCountOf(unknown.length, 'account')} (${names})`,
      {
        advice:
          'use its current name in ACCOUNTS_FILE or TIME_ZONE, for example America/New_York for US/Eastern; or install tzdata-legacy where Postgres runs',
      },
    );
  }
}

/** Reads the accounts that have not retired. */
export async function readAccounts(warehouse: Queries): Promise<AccountRow[]> {
  return await warehouse
    .selectFrom('warehouse.accounts')
    .select(['account_id as id', 'name', 'first_expected_day as since'])
    .where('last_expected_day', 'is', null)
    .execute();
}

/**
 * Retires the accounts that are gone from the settings, as of their last loaded day: later days aren't
 * missing. Only a full nightly run does this. Returns the accounts' names.
 */
export async function retireOthers(warehouse: Queries, accounts: readonly Account[]): Promise<string[]> {
  const retired = await warehouse
    .updateTable('warehouse.accounts as a')
    .set('last_expected_day', (eb) => {
      const lastLoadedDay = eb
        .selectFrom('etl.windows as w')
        .select(({ fn }) => fn.max('w.day').as('day'))
        .whereRef('w.account_id', '=', 'a.account_id')
        .where('w.state', '<>', 'failed');
      return eb.fn.coalesce(lastLoadedDay, 'a.first_expected_day', eb.val('-infinity'));
    })
    .where('a.last_expected_day', 'is', null)
    .where('a.name', '<>', noneOf(accounts.map(({ name }) => name)))
    .returning('a.name')
    .execute();
  return retired.map(({ name }) => name);
}

/** Returns whether an account that existed has been erased. */
export async function isErased(warehouse: Queries, accountId: number): Promise<boolean> {
  const found = await warehouse
    .selectFrom('warehouse.accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return found === undefined;
}

/** Moves `etl.complete_through` of each account over the days that are loaded by now: at the end of a run. */
export async function moveCompleteThrough(warehouse: Warehouse): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    // In the order of their keys: another run may do the same.
    await sql`
      select from warehouse.accounts where last_expected_day is null order by account_id for no key update`.execute(
      transaction,
    );
    await sql`
      insert into etl.complete_through (account_id, complete_through_day)
      select account_id, first_expected_day - 1 from warehouse.accounts
      where last_expected_day is null and first_expected_day is not null
      on conflict (account_id) do nothing`.execute(transaction);
    // Skips an account whose day `writeMarks` has moved back meanwhile.
    await sql`
      update etl.complete_through c
      set complete_through_day = f.complete_through_day
      from warehouse.freshness f join etl.complete_through s using (account_id)
      where f.account_id = c.account_id and f.complete_through_day > c.complete_through_day
        and c.complete_through_day = s.complete_through_day`.execute(transaction);
  });
}

/** Sets the first expected day of accounts, unless they have an earlier one: their yesterday, or the first day of a backfill. */
export async function lowerFirstDay(
  warehouse: Warehouse,
  accountIds: readonly number[],
  day: Day,
): Promise<void> {
  // Repeated if it meets another process that sets the same days in another order.
  await inTransaction(warehouse, async (transaction) => {
    const earlier = await transaction
      .updateTable('warehouse.accounts')
      .set({ first_expected_day: day })
      .where('account_id', '=', anyOf(accountIds))
      .where((eb) => eb.or([eb('first_expected_day', 'is', null), eb('first_expected_day', '>', day)]))
      .returning('account_id as id')
      .execute();
    await transaction
      .deleteFrom('etl.complete_through')
      .where('account_id', '=', anyOf(earlier.map(({ id }) => id)))
      .execute();
  });
}

/**
 * Locks an account until the transaction ends: one transaction at a time writes its clients. It is a separate
 * statement, so that the next one sees what the last holder committed. It doesn't block inserts of rows that
 * only refer to the account.
 */
export async function lockAccount(transaction: Transaction, accountId: number): Promise<void> {
  await transaction
    .selectFrom('warehouse.accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .forNoKeyUpdate()
    .execute();
}
