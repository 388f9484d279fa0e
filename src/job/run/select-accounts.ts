import type { ExpectedAccount } from '../../planning/windows-due.ts';
import { syncAccounts } from '../../warehouse/ledger/accounts.ts';
import type { Run } from './run.ts';

/** An account of the settings with what the warehouse knows of it. */
export type KnownAccount = ExpectedAccount & { readonly id: number };

/** Enters the accounts of the settings in the warehouse and gives those that were asked for (null: all). */
export async function selectAccounts(run: Run, names: readonly string[] | null): Promise<KnownAccount[]> {
  const rows = new Map(
    (await syncAccounts(run.warehouse, run.config.accounts)).map((row) => [row.name, row]),
  );
  return run.config.accounts
    .filter((account) => names === null || names.includes(account.name))
    .map((account) => ({ ...account, ...rows.get(account.name)! }));
}
