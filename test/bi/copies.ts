import type pg from 'pg';
import { read } from '../deploy/known.ts';

/** What docs/analysts.md says to copy: relation, cursor and key. Names are taken from copies of accounts and clients. */
export const copied = [
  ...read('docs/analysts.md').matchAll(/^\| (`\w+`(?:, `\w+`)*) \| `(\w+_at)`(?: of `\w+`)? \| `(.+)` \|$/gm),
].flatMap(([, relations, cursor, key]) =>
  relations!.split(', ').map((relation) => ({
    relation: relation.replaceAll('`', ''),
    cursor: cursor!,
    key: key!,
  })),
);
const names = ['label', 'client', 'listed_by_account_id', 'listed_client_id'];

/** The columns of a copy. */
async function columnsOf(client: pg.Client, relation: string): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(column_name, ', ' order by ordinal_position) as columns from information_schema.columns
     where table_schema = 'warehouse' and table_name = $1
       and not ($1 in ('account_days', 'campaign_days') and column_name = any ($2))`,
    [relation, names],
  );
  return rows[0]!.columns;
}

/** Brings the copies up to date, without the overlap: nothing else commits meanwhile. */
export async function copyNight(client: pg.Client): Promise<void> {
  await client.query('create schema if not exists copy');
  for (const { relation, cursor, key } of copied) {
    const columns = await columnsOf(client, relation);
    await client.query(
      `create table if not exists copy.${relation} as select ${columns} from warehouse.${relation} limit 0`,
    );
    const isOfDays = relation === 'campaign_days';
    await client.query(`
      create temporary table newer as select ${key} from warehouse.${isOfDays ? 'account_days' : relation}
        where ${cursor} > coalesce((select max(${cursor}) from copy.${relation}), '-infinity');
      delete from copy.${relation} where (${key}) in (select ${key} from newer);
      insert into copy.${relation} select ${columns} from warehouse.${relation} where (${key}) in (select ${key} from newer);
      drop table newer`);
  }
  await client.query(`
    delete from copy.mails where mail_id not in (select mail_id from warehouse.mails);
    delete from copy.deliveries where mail_id not in (select mail_id from warehouse.mails)`);
}

/** The rows of a relation and of its copy, as text. */
export async function compareCopy(client: pg.Client, relation: string) {
  const columns = await columnsOf(client, relation);
  const rowsOf = async (schema: string) =>
    (
      await client.query<{ line: string }>(
        `select t::text as line from (select ${columns} from ${schema}.${relation}) t order by 1`,
      )
    ).rows.map(({ line }) => line);
  return { original: await rowsOf('warehouse'), copy: await rowsOf('copy') };
}
