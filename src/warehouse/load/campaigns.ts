import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Transaction, Warehouse } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';
import { lockAccount } from '../ledger/accounts.ts';

/**
 * Brings `warehouse.campaigns` in line with the windows that were loaded since it last was: a campaign's name is that
 * of its latest day with attempts, and first and last day are the span of those days. What a crash leaves undone is
 * still marked, and done the next time.
 *
 * @param onError called with the name of an account that couldn't be followed; the others are, unless it throws
 */
export async function followCampaigns(
  warehouse: Warehouse,
  onError: (error: unknown, account: string) => void = rethrow,
): Promise<void> {
  const due = await warehouse
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select(['a.account_id as accountId', 'a.name'])
    .distinct()
    .where('w.campaigns_due', '=', true)
    .orderBy('a.account_id')
    .execute();
  for (const { accountId, name } of due) {
    try {
      await inTransaction(warehouse, (transaction) => followAccount(transaction, accountId));
    } catch (error) {
      onError(error, name);
    }
  }
}

function rethrow(error: unknown): never {
  throw error;
}

async function followAccount(transaction: Transaction, accountId: number): Promise<void> {
  await lockAccount(transaction, accountId);
  const days = await lockDue(transaction, accountId);
  if (days.length === 0) return;
  await widenSpans(transaction, accountId, days);
  await narrowSpans(transaction, accountId, days);
  await transaction
    .updateTable('etl.windows')
    .set({ campaigns_due: false })
    .where('account_id', '=', accountId)
    .where('day', '=', anyOf(days))
    .execute();
}

/** Locked until the end, so that a concurrent load marks its window again after that. */
async function lockDue(transaction: Transaction, accountId: number): Promise<Day[]> {
  const rows = await transaction
    .selectFrom('etl.windows')
    .select('day')
    .where((eb) => eb.and({ account_id: accountId, campaigns_due: true }))
    .orderBy('day')
    .forUpdate()
    .execute();
  return rows.map((row) => row.day);
}

const latestName = sql<string | null>`(array_agg(campaign order by day desc))[1]`.as('name');

/** The spans of the account's campaigns over the days with attempts. */
function spansOf(transaction: Transaction, accountId: number) {
  return transaction
    .selectFrom('warehouse.campaign_days')
    .select(['account_id', 'callset_id', latestName])
    .select(({ fn }) => [fn.min('day').as('first_day'), fn.max('day').as('last_day')])
    .where('account_id', '=', accountId)
    .where('attempts', '>', 0)
    .where('withdrawn_at', 'is', null)
    .groupBy(['account_id', 'callset_id']);
}

async function widenSpans(transaction: Transaction, accountId: number, days: readonly Day[]): Promise<void> {
  await transaction
    .insertInto('warehouse.campaigns')
    .columns(['account_id', 'callset_id', 'name', 'first_day', 'last_day'])
    .expression(spansOf(transaction, accountId).where('day', '=', anyOf(days)))
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'callset_id'])
        .doUpdateSet({
          name: sql`case when excluded.last_day >= campaigns.last_day then excluded.name else campaigns.name end`,
          first_day: sql`least(campaigns.first_day, excluded.first_day)`,
          last_day: sql`greatest(campaigns.last_day, excluded.last_day)`,
        })
        .where(sql<boolean>`
          excluded.first_day < campaigns.first_day or excluded.last_day > campaigns.last_day
          or excluded.last_day = campaigns.last_day and excluded.name is distinct from campaigns.name`),
    )
    .execute();
}

/** A campaign that lost its first or last day gets the span of those that are left; one that lost all is none any more. */
async function narrowSpans(transaction: Transaction, accountId: number, days: readonly Day[]): Promise<void> {
  const ids = await narrowed(transaction, accountId, days);
  if (ids.length === 0) return;
  await transaction
    .updateTable('warehouse.campaigns as c')
    .from(spansOf(transaction, accountId).where('callset_id', '=', anyOf(ids)).as('s'))
    .set((eb) => ({
      name: eb.ref('s.name'),
      first_day: eb.ref('s.first_day'),
      last_day: eb.ref('s.last_day'),
    }))
    .whereRef('c.callset_id', '=', 's.callset_id')
    .where('c.account_id', '=', accountId)
    .execute();
  await sql`
    delete from warehouse.campaigns c
    where c.account_id = ${accountId} and c.callset_id = ${anyOf(ids)}
      and not exists (
        select from warehouse.campaign_days d
        where d.account_id = c.account_id and d.callset_id = c.callset_id and d.attempts > 0 and d.withdrawn_at is null)
  `.execute(transaction);
}

/** Campaigns that began or ended on one of these days, and made no attempt on it any more. */
async function narrowed(
  transaction: Transaction,
  accountId: number,
  days: readonly Day[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.callset_id as id
    from warehouse.campaigns c
    where c.account_id = ${accountId} and (c.first_day = ${anyOf(days)} or c.last_day = ${anyOf(days)})
      and exists (
        select from (values (c.first_day), (c.last_day)) as ends (day)
        where not exists (
          select from warehouse.campaign_days d
          where d.account_id = c.account_id and d.day = ends.day and d.callset_id = c.callset_id
            and d.attempts > 0 and d.withdrawn_at is null))
  `.execute(transaction);
  return rows.map((row) => row.id);
}
