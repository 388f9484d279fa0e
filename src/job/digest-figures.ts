import type { Day } from '../model/day.ts';
import type { DigestDefinition, DigestFigures } from '../model/digest.ts';
import { readAccountTotals, readDigestRows } from '../warehouse/figures.ts';
import type { Warehouse } from '../warehouse/tables.ts';

/** All that a digest says of a day, as the warehouse has it now. */
export async function readFigures(
  warehouse: Warehouse,
  digest: DigestDefinition,
  day: Day,
  earlierDays: readonly Day[],
): Promise<DigestFigures> {
  return {
    name: digest.name,
    day,
    accounts: await readAccountTotals(warehouse, digest.accounts, day),
    rows: await readDigestRows(warehouse, digest.accounts, day),
    earlierDays,
  };
}
