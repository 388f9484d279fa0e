import type { Account } from '../../model/records.ts';
import { readAccounts, requireZones, retireOthers, syncAccounts } from '../../warehouse/ledger/accounts.ts';
import type { ExpectedAccount } from '../windows/due.ts';
import type { AppContext } from './app-context.ts';

/** An account of the settings with its state in the warehouse. */
export type KnownAccount = ExpectedAccount & { readonly id: number };

/**
 * Records the accounts of the settings in the warehouse, and returns the named ones; null for all. Throws a
 * Failure if the database doesn't know one of their zones.
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

/** Returns the same without writing: an account that is new to the warehouse has no id. */
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
 * Retires the accounts that are gone from the settings: only a full nightly run may. Accounts that another
 * process added stay.
 */
export async function retireAccounts({ warehouse, config, log }: AppContext): Promise<void> {
  for (const account of await retireOthers(warehouse, config.accounts))
    log.info({ account }, `${account}: no longer in the settings: retired, its figures stay`);
}

/** Spreads the beginnings of runs evenly over the accounts. */
const goldenRatio = (Math.sqrt(5) - 1) / 2;

/**
 * Returns the accounts in their order, from another one in each run: a run that gives up, because the service is
 * unavailable for the first ones, doesn't keep the others from being loaded by the next.
 */
export function beginningElsewhere<T>(accounts: readonly T[], runId: number): T[] {
  const first = Math.floor(((runId * goldenRatio) % 1) * accounts.length);
  return [...accounts.slice(first), ...accounts.slice(0, first)];
}

const named = (accounts: readonly Account[], names: readonly string[] | null) =>
  accounts.filter(({ name }) => names === null || names.includes(name));
