import type { Finding } from '../../model/alert.ts';
import type { Account } from '../../model/records.ts';
import { openWarehouse } from '../db/database.ts';
import { zonesUnknown } from '../failures.ts';
import { unknownZones } from '../ledger/time-zones.ts';

/** Examines whether the database knows the zones of the accounts: a run ends at its start where it doesn't. */
export async function examineZones(
  url: string,
  accounts: readonly Pick<Account, 'name' | 'timeZone'>[],
): Promise<Finding> {
  const finding = { area: 'database', subject: 'time zones' } as const;
  const warehouse = openWarehouse(url, 1);
  try {
    const unknown = await unknownZones(warehouse, accounts);
    if (unknown.length === 0)
      return { ...finding, status: 'ok', message: 'the database knows those of all accounts' };
    const { message, advice, exitCode } = zonesUnknown(unknown);
    return { ...finding, status: 'error', message, advice, exitCode };
  } finally {
    await warehouse.destroy();
  }
}
