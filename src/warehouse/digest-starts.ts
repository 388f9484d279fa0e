import type { Day } from '../model/day.ts';
import type { Warehouse } from './tables.ts';

type Start = { readonly name: string; readonly owesFrom: Day | null };

/** The digests that are entered, and from which day on each is owed. */
export async function readDigestStarts(warehouse: Warehouse): Promise<Start[]> {
  return await warehouse.selectFrom('etl.digest_starts').select(['name', 'owes_from as owesFrom']).execute();
}

/** Enters a digest that is new to the settings. */
export async function enterDigestStart(warehouse: Warehouse, { name, owesFrom }: Start): Promise<void> {
  await warehouse
    .insertInto('etl.digest_starts')
    .values({ name, owes_from: owesFrom })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Forgets a digest that is gone from the settings: should it come back, it begins anew. */
export async function forgetDigestStart(warehouse: Warehouse, name: string): Promise<void> {
  await warehouse.deleteFrom('etl.digest_starts').where('name', '=', name).execute();
}
