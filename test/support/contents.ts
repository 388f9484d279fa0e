import { zstdDecompressSync } from 'node:zlib';
import { expect } from 'vitest';
import type { World } from './world.ts';

/** The rows of the warehouse as comparable lines: they don't show when or by which run a row was written. */
export type Contents = {
  /** The rows of each window that is loaded, by account and day. */
  readonly days: ReadonlyMap<string, readonly string[]>;
  readonly clients: readonly string[];
  readonly others: readonly string[];
  readonly ledger: readonly string[];
};

type Row = Readonly<Record<string, unknown>>;
type Place = Pick<World, 'query'>;

/**
 * Reads all that a command left, and expects accounts and days, of which no command leaves none.
 *
 * @param withClients whether the command walks client lists, so that clients are expected, too
 */
export async function readContents(world: Place, withClients = true): Promise<Contents> {
  const days = await readDays(world);
  const others = await readRows(world, ['warehouse.accounts', 'warehouse.campaign_day_restatements']);
  const clients = await readRows(world, [
    'warehouse.clients',
    'warehouse.client_versions',
    'warehouse.client_balances',
  ]);
  const ledger = await readLedger(world);
  for (const [what, { length }] of Object.entries({ days: [...days], others, ledger }))
    expect(length, what).toBeGreaterThan(0);
  expect(clients.length > 0, 'clients').toBe(withClients);
  return {
    days,
    clients: clients.map(lineOf).sort(),
    others: others.map(lineOf).sort(),
    ledger,
  };
}

/** The rows of each window, by account and day: its campaigns and its sums. */
export async function readDays(world: Place): Promise<Map<string, string[]>> {
  const rows = await readRows(world, [
    'etl.campaign_days',
    'warehouse.account_days',
    'etl.past_account_days',
  ]);
  const days = Map.groupBy(rows, (row) => `${row.account_id} ${row.day}`);
  return new Map([...days].sort().map(([day, rows]) => [day, rows.map(lineOf).sort()]));
}

const lineOf = (row: Row): string => JSON.stringify(row);

/** Timestamps become a constant, and keys of accounts names: a failed attempt uses up a key. */
async function readRows(world: Place, relations: readonly string[]): Promise<Row[]> {
  const selects = relations.map(
    (relation) => `select '${relation}' as relation, to_jsonb(t) as row from ${relation} t`,
  );
  const found = await world.query<{ relation: string; row: Row }>(selects.join(' union all '));
  const accounts = await world.query<{ account_id: number; name: string }>(
    'select account_id, name from warehouse.accounts',
  );
  const names = new Map(accounts.map((account) => [account.account_id, account.name]));
  return found.map(({ relation, row }) => {
    const cells = Object.entries(row).map(([name, value]) => {
      if (name.endsWith('account_id')) return [name, names.get(value as number) ?? null];
      // A balance has the day of its run: midnight may pass between two runs.
      const dependsOnRun =
        /^\d{4}-\d\d-\d\dT/.test(`${value}`) ||
        name === 'balance_first_day' ||
        (relation === 'warehouse.client_balances' && name === 'day');
      return [name, dependsOnRun && value !== null ? 'some time' : value];
    });
    return { relation, ...Object.fromEntries(cells) };
  });
}

/** The windows, and the digests with their messages, without timestamps. */
async function readLedger(world: Place): Promise<string[]> {
  const rows = await world.query<{ line: string; mime: Buffer | null }>(`
    select concat_ws(' ', 'window', a.name, day, w.state, content_hash, held_hash, w.anomalies, error) as line, null::bytea as mime
    from etl.windows w join warehouse.accounts a using (account_id)
    union all
    select concat_ws(' ', 'mail', name, every, day, number, correction, subject), mime
    from etl.mails
    union all
    select concat_ws(' ', 'mailed', p.name, every, day, a.name, state, content, attempts, connects), null
    from etl.mailed_periods p left join warehouse.accounts a using (account_id)
    order by 1`);
  return rows.map(({ line, mime }) => (mime === null ? line : `${line} ${timelessMime(mime)}`));
}

/** Removes the dates of the message and of the data, and the boundary, which is a hash of the content. */
function timelessMime(mime: Buffer): string {
  return zstdDecompressSync(mime)
    .toString()
    .replace(/^Date: .*$/m, '')
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/Updated [^.]*\./g, '')
    .replaceAll(/_NmP-[0-9a-f]+-/g, '');
}
