import type { Account } from '../model/account.ts';
import { syncAccounts } from '../warehouse/accounts.ts';
import type { Run } from './run.ts';

/** An account with its key in the warehouse. */
export type KnownAccount = Account & { readonly id: number };

/** Enters the accounts of the settings in the warehouse and gives those that were asked for (null: all). */
export async function selectAccounts(run: Run, names: readonly string[] | null): Promise<KnownAccount[]> {
  const ids = await syncAccounts(run.warehouse, run.config.accounts);
  return run.config.accounts
    .filter((account) => names === null || names.includes(account.name))
    .map((account) => ({ ...account, id: ids.get(account.name)! }));
}
