import type { Day } from '../../model/day.ts';
import type { Queries } from '../db/database.ts';

type Start = { readonly name: string; readonly dueFrom: Day | null };

/** The digests that are recorded, and from which day on each is due. */
export async function readDigestStarts(queries: Queries): Promise<Start[]> {
  return await queries.selectFrom('etl.digest_starts').select(['name', 'due_from as dueFrom']).execute();
}

/** Records a digest that is new to the settings. */
export async function recordDigestStart(queries: Queries, { name, dueFrom }: Start): Promise<void> {
  await queries
    .insertInto('etl.digest_starts')
    .values({ name, due_from: dueFrom })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Deletes a digest that is gone from the settings: should it come back, it starts again. */
export async function forgetDigestStart(queries: Queries, name: string): Promise<void> {
  await queries.deleteFrom('etl.digest_starts').where('name', '=', name).execute();
}
