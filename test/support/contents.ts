import type { World } from './world.ts';

type Column = { readonly table: string; readonly name: string; readonly type: string };
type Row = Record<string, unknown>;

/** The rows of the warehouse as comparable lines: they don't show when or by which run a row was written. */
export type Contents = { readonly rows: readonly string[]; readonly ledger: readonly string[] };

export async function readContents(world: Pick<World, 'query'>): Promise<Contents> {
  const columns = await world.query<Column>(
    `select table_name as table, column_name as name, data_type as type
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'warehouse' and (table_type = 'BASE TABLE' or table_name in ('client_versions', 'client_balances'))
     order by 1, ordinal_position`,
  );
  const accounts = await accountNames(world);
  const rows: string[] = [];
  for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
    const found = await world.query<{ row: Row }>(`select to_jsonb(t) as row from warehouse.${table} t`);
    for (const { row } of found) rows.push(`${table} ${JSON.stringify(timeless(row, own, accounts))}`);
  }
  return { rows: rows.sort(), ledger: await readLedger(world) };
}

/** Replaces timestamps by a constant, and keys of accounts by names: a failed attempt uses up a key. */
function timeless(row: Row, columns: readonly Column[], accounts: ReadonlyMap<number, string>): Row {
  const cells = columns.map(({ table, name, type }) => {
    const value = row[name];
    // A balance has the day of its run: midnight may pass between two runs.
    const dependsOnRun =
      type.startsWith('timestamp') ||
      name === 'balance_since' ||
      (table === 'client_balances' && name === 'day');
    if (dependsOnRun) return [name, value === null ? null : 'some time'];
    return [name, name.endsWith('account_id') ? (accounts.get(value as number) ?? null) : value];
  });
  return Object.fromEntries(cells);
}

async function accountNames(world: Pick<World, 'query'>): Promise<Map<number, string>> {
  const rows = await world.query<{ account_id: number; name: string }>(
    'select account_id, name from warehouse.accounts',
  );
  return new Map(rows.map((row) => [row.account_id, row.name]));
}

/** The windows, and the digests with their messages, without timestamps. */
async function readLedger(world: Pick<World, 'query'>): Promise<string[]> {
  const rows = await world.query<{ line: string; mime: string | null }>(`
    select concat_ws(' ', 'window', a.name, day, w.state, content_hash, held_hash, s.day is not null, failure) as line, null as mime
    from etl.windows w
    left join etl.suspicious_windows s using (account_id, day)
    join warehouse.accounts a using (account_id)
    union all
    select concat_ws(' ', 'digest', name, day, kind, state, incomplete, subject), mime
    from etl.digests
    order by 1`);
  return rows.map(({ line, mime }) => (mime === null ? line : `${line} ${timelessMime(mime)}`));
}

/** Removes the dates of the message and of the data, and the boundary, which is a hash of the content. */
function timelessMime(mime: string): string {
  return mime
    .replace(/^Date: .*$/m, '')
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/Updated [^.]*\./g, '')
    .replaceAll(/_NmP-[0-9a-f]+-/g, '');
}
