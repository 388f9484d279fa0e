import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { Queries } from './warehouse.ts';

type Start = { readonly name: string; readonly owesFrom: Day | null };

/** The digests that are entered, and from which day on each is owed. */
export async function readDigestStarts(warehouse: Queries): Promise<Start[]> {
  const { rows } = await warehouse.query<Start>(
    sql`select name, owes_from as "owesFrom" from etl.digest_starts`,
  );
  return rows;
}

/** Enters a digest that is new to the settings. */
export async function enterDigestStart(warehouse: Queries, { name, owesFrom }: Start): Promise<void> {
  await warehouse.query(sql`
    insert into etl.digest_starts (name, owes_from) values (${name}, ${owesFrom}) on conflict (name) do nothing
  `);
}

/** Forgets a digest that is gone from the settings: should it come back, it begins anew. */
export async function forgetDigestStart(warehouse: Queries, name: string): Promise<void> {
  await warehouse.query(sql`delete from etl.digest_starts where name = ${name}`);
}
