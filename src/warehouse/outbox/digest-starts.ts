import type { Day } from '../../model/day.ts';
import type { Queries } from '../db/database.ts';

type Start = { readonly name: string; readonly owesFrom: Day | null };

/** The digests that are recorded, and from which day on each is due. */
export async function readDigestStarts(queries: Queries): Promise<Start[]> {
  return await queries.selectFrom('etl.digest_starts').select(['name', 'owes_from as owesFrom']).execute();
}

/** Records a digest that is new to the settings. */
export async function enterDigestStart(queries: Queries, { name, owesFrom }: Start): Promise<void> {
  await queries
    .insertInto('etl.digest_starts')
    .values({ name, owes_from: owesFrom })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Forgets a digest that is gone from the settings: should it come back, it begins anew. */
export async function forgetDigestStart(queries: Queries, name: string): Promise<void> {
  await queries.deleteFrom('etl.digest_starts').where('name', '=', name).execute();
}
