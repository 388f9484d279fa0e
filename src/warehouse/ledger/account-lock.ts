import type { Transaction } from '../db/database.ts';

/**
 * Lets one transaction after the other write the clients, or the campaigns, of an account, until its end. A statement
 * of its own, so that the next one sees what the last holder committed. Rows that merely refer to the account don't wait.
 */
export async function lockAccount(transaction: Transaction, accountId: number): Promise<void> {
  await transaction
    .selectFrom('warehouse.accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .forNoKeyUpdate()
    .execute();
}
