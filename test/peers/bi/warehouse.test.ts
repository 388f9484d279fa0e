import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceRequest } from '../../../src/simulator/middleware.ts';
import { callsheet } from '../../support/callsheet.ts';
import { peers, runPeer } from '../../support/peers.ts';
import { createStranger, type TestRole } from '../../support/role.ts';
import { openWorld, type World } from '../../support/world.ts';

type Table = {
  /** Python's types by column, as the driver says them. */
  readonly types: Record<string, string>;
  readonly rows: readonly Record<string, string | null>[];
  readonly comments: Record<string, string | null>;
  readonly primary: readonly string[];
  readonly foreign: readonly string[];
};
type Seen = {
  readonly zone: string;
  /** How many constraints `information_schema` shows. */
  readonly standardKeys: number;
  readonly tables: Record<string, Table>;
};

/** The largest count that is loaded: 2^53−1. */
const largest = 9_007_199_254_740_991;
const longName = `=1+1;"Ñ, 🚌" ${'é'.repeat(20_000)}`;
const balances = ['1234.50', '-0.07', '98765432109876543210.123456789'];
const yesterday = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 });
/** Three days, and two gaps between them and yesterday. */
const days = [5, 4, 3].map((ago) => yesterday.subtract({ days: ago }).toString());
const zones = ['UTC', 'Pacific/Apia', 'America/Los_Angeles'];

let connects = 5;
let world: World;
let environment: World['environment'];
let role: TestRole;
const seen = new Map<string, Seen>();

beforeAll(async () => {
  world = await openWorld({ intercept: respond });
  const accounts = path.join(world.folder, 'bi.json');
  await writeFile(
    accounts,
    JSON.stringify([{ name: 'valley', sidtoken: 'a-token', client: { account: 'valley', id: 2 } }]),
  );
  environment = { ...world.environment, ACCOUNTS_FILE: accounts };
  const [from, to] = [days[0]!, days.at(-1)!];
  for (const command of [['run'], ['backfill', '--from', from, '--to', to], ['run', '--day', to]]) {
    expect([command, await callsheet(command, environment)]).toMatchObject([command, { code: 0 }]);
    connects++;
  }
  role = await createStranger();
  await world.query(`grant callsheet_reader to ${role.name}`);
  for (const zone of zones) seen.set(zone, await readBy(role.url(world.databaseUrl), zone));
});
afterAll(async () => {
  await world?.close();
  await role?.drop();
});

function respond({ operation }: ServiceRequest) {
  if (operation === 'campaignSummary') {
    const counts = { attempts: largest, busies: null, connects, liveanswers: 1 };
    const result = [
      { callsetid: largest, campaign: longName, ...counts },
      { callsetid: 1, campaign: 'B', ...counts },
    ];
    return { body: JSON.stringify({ result }) };
  }
  const data = balances.map((balance, index) => ({ clientid: index + 1, clientname: 'C', balance }));
  return { body: JSON.stringify({ page: 1, pages: 1, limit: 100, data }) };
}

async function readBy(databaseUrl: string, zone: string): Promise<Seen> {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl);
  const settings = {
    Driver: '{PostgreSQL Unicode}',
    Servername: hostname,
    Port: port,
    Database: pathname.slice(1),
    Username: username,
    Password: password,
    // Else booleans are texts.
    BoolsAsChar: '0',
  };
  const connection = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const script = path.join(import.meta.dirname, 'read_warehouse.py');
  const { code, output } = await runPeer(peers.debianPython, [script, connection.join(';')], {
    TZ: zone,
    PGTZ: zone,
  });
  if (code !== 0) throw new Error(output);
  return JSON.parse(output);
}

/** Python's types for those of Postgres. */
const types: Record<string, string> = {
  integer: 'int',
  bigint: 'int',
  numeric: 'Decimal',
  date: 'date',
  'timestamp with time zone': 'datetime',
  boolean: 'bool',
  text: 'str',
  jsonb: 'str',
};

const inUtc = () => seen.get('UTC')!.tables;
const column = (table: string, name: string) => inUtc()[table]!.rows.map((row) => row[name]);

describe('pandas over ODBC, as callsheet_reader', () => {
  it('gets every column of the warehouse with its type', async () => {
    const columns = await world.query<{ relation: string; column: string; type: string }>(
      `select c.relname as relation, a.attname as column, format_type(a.atttypid, null) as type
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'warehouse'::regnamespace and c.relkind in ('r', 'v')`,
    );
    const expected = columns.map((each) => [each.relation, each.column, types[each.type]]);
    const got = Object.entries(inUtc()).flatMap(([table, { types }]) =>
      Object.entries(types).map(([name, type]) => [table, name, type]),
    );
    expect(got.sort()).toEqual(expected.sort());
  });

  it('gets the largest counts, their sums, money and long names exactly', () => {
    expect(new Set(column('campaign_days', 'attempts'))).toEqual(new Set([String(largest)]));
    expect(new Set(column('campaign_days', 'busies'))).toEqual(new Set([null]));
    expect(new Set(column('campaign_days', 'callset_id'))).toEqual(new Set([String(largest), '1']));
    expect(new Set(column('account_days', 'attempts'))).toEqual(new Set([String(2n * BigInt(largest))]));
    expect(column('clients', 'balance').sort()).toEqual(balances.toSorted());
    expect(new Set(column('campaigns', 'name'))).toEqual(new Set([longName, 'B']));
  });

  it('finds the relations by keys, and where a large table has none by its comment', () => {
    const keys = Object.entries(inUtc()).map(([table, { primary, foreign }]) => [
      table,
      primary.join(),
      foreign.join(),
    ]);
    const account = 'account_id -> accounts.account_id';
    expect(keys.filter(([, primary]) => primary !== '')).toEqual([
      ['account_days', 'account_id,day', account],
      ['accounts', 'account_id', 'client_account_id -> accounts.account_id'],
      [
        'campaign_day_restatements',
        'account_id,day,callset_id,restated_at',
        'account_id -> campaign_days.account_id,callset_id -> campaign_days.callset_id,day -> campaign_days.day',
      ],
      ['clients', 'account_id,client_id', ''],
    ]);
    // Which Postgres shows to who may do more than read: docs/compatibility.md.
    expect(seen.get('UTC')!.standardKeys).toBe(0);
    for (const table of ['campaign_days', 'clients', 'client_balances', 'client_versions'])
      expect(inUtc()[table]!.comments.account_id).toContain('References warehouse.accounts.');
  });

  it('reads a comment on every table, view and column', () => {
    for (const [table, { comments, types }] of Object.entries(inUtc())) {
      expect(Object.keys(comments).sort()).toEqual([...Object.keys(types), ''].sort());
      expect([table, Object.values(comments).filter((comment) => !comment)]).toEqual([table, []]);
    }
  });

  it('counts what `status` reports, and as many rows as were loaded', async () => {
    const { stdout } = await callsheet(['status', '--json'], environment);
    const [account] = JSON.parse(stdout).accounts;
    const coverage = inUtc().coverage!.rows;
    const daysWhere = (is: (row: Table['rows'][number]) => boolean) =>
      coverage
        .filter(is)
        .map(({ day }) => day)
        .sort();
    expect(daysWhere(({ state }) => state !== 'loaded')).toEqual(account.gaps);
    expect(account.gaps).toHaveLength(2);
    expect(days.at(-1)).toBe(account.completeThrough);
    expect(daysWhere(({ settling }) => settling === 'True')).toHaveLength(account.settling);
    const loaded = daysWhere(({ state }) => state === 'loaded');
    expect(loaded).toEqual([...days, yesterday.toString()]);
    expect(column('account_days', 'day').sort()).toEqual(loaded);
    expect(column('campaign_days', 'day').sort()).toEqual(loaded.flatMap((day) => [day, day]));
    expect(column('campaign_day_restatements', 'day')).toEqual([days.at(-1), days.at(-1)]);
    expect(column('clients', 'client_id')).toHaveLength(balances.length);
  });

  it('sees the same days in whatever zone it runs', () => {
    const daysIn = (zone: string) =>
      Object.entries(seen.get(zone)!.tables).map(([table, { types, rows }]) => {
        const names = Object.keys(types).filter((name) => types[name] === 'date');
        return [table, rows.map((row) => names.map((name) => row[name]).join()).sort()];
      });
    for (const zone of zones) {
      expect(seen.get(zone)!.zone).toBe(zone);
      expect(daysIn(zone)).toEqual(daysIn('UTC'));
    }
  });
});
