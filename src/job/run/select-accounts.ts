import type { ExpectedAccount } from '../../planning/windows-due.ts';
import { syncAccounts } from '../../warehouse/ledger/accounts.ts';
import type { Run } from './run.ts';

/** An account of the settings with what the warehouse knows of it. */
export type KnownAccount = ExpectedAccount & { readonly id: number };

/** Records the accounts of the settings in the warehouse, and gives those that are named; null for all. */
export async function selectAccounts(
  { warehouse, config }: Pick<Run, 'warehouse' | 'config'>,
  names: readonly string[] | null,
): Promise<KnownAccount[]> {
  const rows = await syncAccounts(warehouse, config.accounts);
  const byName = new Map(rows.map((row) => [row.name, row]));
  return config.accounts
    .filter((account) => names === null || names.includes(account.name))
    .map((account) => ({ ...account, ...byName.get(account.name)! }));
}
