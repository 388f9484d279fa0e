import { namesLine } from '../../model/alert.ts';
import type { Account } from '../../model/records.ts';
import { formatList } from '../../support/english.ts';
import {
  readAccounts,
  readZoneChanges,
  requireZones,
  retireOthers,
  syncAccounts,
} from '../../warehouse/ledger/accounts.ts';
import type { ExpectedAccount } from '../windows/due.ts';
import type { AppContext } from './app-context.ts';

/** An account of the settings with its state in the warehouse. */
export type KnownAccount = ExpectedAccount & { readonly id: number };

/**
 * Records the accounts of the settings in the warehouse, and returns the named ones; null for all. Logs zones that have
 * changed. Throws a Failure if the database doesn't know one of their zones.
 */
export async function selectAccounts(
  { warehouse, config, log }: AppContext,
  names: readonly string[] | null,
): Promise<KnownAccount[]> {
  await requireZones(warehouse, config.accounts);
  for (const { former, zone, names } of await readZoneChanges(warehouse, config.accounts))
    log.warn(
      { former, zone },
      `${names.length > 2 ? namesLine({ noun: 'account', names }) : formatList(names)}: days end in ${zone} from now on, not in ${former}; loaded days stay as they were fetched`,
    );
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

/** Its multiples, less whole numbers, are spread evenly, and neighbours far apart. */
const goldenRatio = (Math.sqrt(5) - 1) / 2;

/**
 * Returns the accounts in another order in each run, with neighbours of the settings far apart. A run that gives up, because the
 * service is unavailable or refuses tokens, has thus tried accounts from all over, and the next one begins with others.
 */
export function spread<T>(accounts: readonly T[], runId: number): T[] {
  return accounts
    .map((account, index) => ({ account, place: ((index + runId) * goldenRatio) % 1 }))
    .sort((one, other) => one.place - other.place)
    .map(({ account }) => account);
}

const named = (accounts: readonly Account[], names: readonly string[] | null) =>
  accounts.filter(({ name }) => names === null || names.includes(name));
