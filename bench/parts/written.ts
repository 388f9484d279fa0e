import { query } from '../server.ts';

/** What a database holds, and how far its write-ahead log has come. */
type Contents = { readonly rows: number; readonly bytes: number; readonly walAt: number };

/** What was written: rows and bytes of tables with their indexes, and bytes of write-ahead log. */
export type Written = { readonly rows: number; readonly bytes: number; readonly walBytes: number };

/** Does `work`, and says by how much it made the database grow. Nobody else may write to the server meanwhile. */
export async function measureWritten<T>(
  url: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly written: Written }> {
  const before = await readContents(url);
  const result = await work();
  const after = await readContents(url);
  return {
    result,
    written: {
      rows: after.rows - before.rows,
      bytes: after.bytes - before.bytes,
      walBytes: after.walAt - before.walAt,
    },
  };
}

async function readContents(url: string): Promise<Contents> {
  const [size] = await query<{ bytes: string; wal: string }>(
    url,
    `select coalesce(sum(pg_total_relation_size(c.oid)), 0) as bytes,
       pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal
     from pg_class c where ${isOurs}`,
  );
  const tables = await query<{ name: string }>(
    url,
    `select c.oid::regclass as name from pg_class c where ${isOurs}`,
  );
  let rows = 0;
  for (const { name } of tables) {
    const [counted] = await query<{ rows: string }>(url, `select count(*) as rows from ${name}`);
    rows += Number(counted!.rows);
  }
  return { rows, bytes: Number(size!.bytes), walAt: Number(size!.wal) };
}

const isOurs = `c.relkind = 'r' and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`;
