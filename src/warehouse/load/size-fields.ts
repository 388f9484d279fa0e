import type { SizeField } from '../../model/walk.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { asExcluded } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';

/** The count fields of an account's client list that are known to be its size. */
export async function readSizeFields(warehouse: Queries, accountId: number): Promise<readonly string[]> {
  const known = await selectSizeFields(warehouse, accountId).where('dropped_run_date', 'is', null).execute();
  return known.map(({ field }) => field);
}

/** Replaces what is known of an account's count fields by what `learn` makes of it, and gives what `learn` gave. */
export async function updateSizeFields<T extends { readonly fields: readonly SizeField[] }>(
  warehouse: Warehouse,
  accountId: number,
  learn: (known: readonly SizeField[]) => T,
): Promise<T> {
  return await inTransaction(warehouse, async (transaction) => {
    const learnt = learn(await selectSizeFields(transaction, accountId).execute());
    await upsertSizeFields(transaction, accountId, learnt.fields);
    return learnt;
  });
}

function selectSizeFields(queries: Queries, accountId: number) {
  return queries
    .selectFrom('etl.client_size_fields')
    .select([
      'field',
      'known_run_date as knownRunDate',
      'disagreed_run_date as disagreedRunDate',
      'dropped_run_date as droppedRunDate',
    ])
    .where('account_id', '=', accountId)
    .orderBy('field');
}

async function upsertSizeFields(
  transaction: Transaction,
  accountId: number,
  fields: readonly SizeField[],
): Promise<void> {
  if (fields.length === 0) return;
  await transaction
    .insertInto('etl.client_size_fields')
    .values(
      fields.map(({ field, knownRunDate, disagreedRunDate, droppedRunDate }) => ({
        account_id: accountId,
        field,
        known_run_date: knownRunDate,
        disagreed_run_date: disagreedRunDate,
        dropped_run_date: droppedRunDate,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'field'])
        .doUpdateSet(asExcluded(['disagreed_run_date', 'dropped_run_date'])),
    )
    .execute();
}
