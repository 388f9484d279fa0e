import type { Day } from '../../model/day.ts';
import type { ClientRecord } from '../../model/records.ts';
import type { Transaction } from '../db/database.ts';
import { anyOf, type Timestamp } from '../db/expressions.ts';
import { type CurrentClient, rowsOf } from './client-rows.ts';

/** Whose clients they are, and the day, in the account's zone, on which a changed balance was reported. */
export type ClientSource = { readonly accountId: number; readonly day: Day };

/**
 * Keeps the current names and balances of clients that are about to get others. Of two changes within one timestamp,
 * or one day of balances, the later one replaces the earlier: the keys of the history stay unique.
 */
export async function keepPast(
  transaction: Transaction,
  { accountId, day }: ClientSource,
  changed: readonly ClientRecord[],
  current: ReadonlyMap<number, CurrentClient>,
  at: Timestamp,
): Promise<void> {
  const renamed = changed.filter(({ clientId, name }) => current.get(clientId)?.name !== name);
  if (renamed.length > 0) await keepNames(transaction, accountId, renamed, at);
  const rebalanced = changed.filter(({ clientId, balance }) => current.get(clientId)?.balance !== balance);
  if (rebalanced.length > 0) await keepBalances(transaction, accountId, day, rebalanced);
}

async function keepNames(
  transaction: Transaction,
  accountId: number,
  renamed: readonly ClientRecord[],
  at: Timestamp,
): Promise<void> {
  await transaction
    .insertInto('etl.past_client_versions')
    .columns(['account_id', 'client_id', 'name', 'valid_from', 'valid_to'])
    .expression((eb) =>
      eb
        .selectFrom('warehouse.clients')
        .select(['account_id', 'client_id', 'name', 'name_since', at.as('valid_to')])
        .where('account_id', '=', accountId)
        .where('client_id', '=', anyOf(renamed.map((client) => client.clientId)))
        .where('name_since', '<', at),
    )
    .execute();
}

/** Whether a balance is another one is left to Postgres: 7.5 and 7.50 are the same. */
async function keepBalances(
  transaction: Transaction,
  accountId: number,
  day: Day,
  rebalanced: readonly ClientRecord[],
): Promise<void> {
  await transaction
    .insertInto('etl.past_client_balances')
    .columns(['account_id', 'client_id', 'day', 'balance'])
    .expression((eb) =>
      eb
        .selectFrom('warehouse.clients as c')
        .innerJoin(rowsOf(rebalanced), 'p.client_id', 'c.client_id')
        .select(['c.account_id', 'c.client_id', 'c.balance_since', 'c.balance'])
        .where('c.account_id', '=', accountId)
        .whereRef('c.balance', 'is distinct from', 'p.balance')
        .where('c.balance_since', '<', day),
    )
    .execute();
}
