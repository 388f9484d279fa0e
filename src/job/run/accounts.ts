import type { Account } from '../../model/records.ts';
import { readAccounts, requireZones, retireOthers, syncAccounts } from '../../warehouse/ledger/accounts.ts';
import type { ExpectedAccount } from '../windows/due.ts';
import type { AppContext } from './app-context.ts';

/** An account of the settings with what the warehouse knows of it. */
export type KnownAccount = ExpectedAccount & { readonly id: number };

/**
 * Records the accounts of the settings in the warehouse, and gives those that are named; null for all. Throws a Failure
 * where the database doesn't know a zone of theirs.
 */
export async function selectAccounts(
  { warehouse, config }: AppContext,
  names: readonly string[] | null,
): Promise<KnownAccount[]> {
  await requireZones(warehouse, config.accounts);
  const rows = await syncAccounts(warehouse, config.accounts);
  const byName = new Map(rows.map((row) => [row.name, row]));
  return named(config.accounts, names).map((account) => ({ ...account, ...byName.get(account.name)! }));
}

/** The same without writing: an account that the warehouse doesn't know yet has no id. */
export async function findAccounts(
  { warehouse, config }: AppContext,
  names: readonly string[] | null,
): Promise<(ExpectedAccount & { readonly id: number | null })[]> {
  const rows = await readAccounts(warehouse);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const unknown = { id: null, since: null };
  return named(config.accounts, names).map((account) => ({
    ...account,
    ...(byName.get(account.name) ?? unknown),
  }));
}

/**
 * Retires the accounts that are gone from the settings; only a whole nightly run may. What another process doesn't know
 * it leaves alone.
 */
export async function retireAccounts({ warehouse, config, log }: AppContext): Promise<void> {
  for (const account of await retireOthers(warehouse, config.accounts))
    log.info({ account }, `${account}: gone from the settings: retired, its figures stay`);
}

const named = (accounts: readonly Account[], names: readonly string[] | null) =>
  accounts.filter(({ name }) => names === null || names.includes(name));
