import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { THREE_ACCOUNTS } from '../../src/simulator/accounts.ts';
import type { Story } from '../../src/simulator/story.ts';
import { read } from '../deploy/known.ts';
import { openLife } from '../stories/live-story.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { createStranger, type TestRole } from '../support/role.ts';

/* No npm package has dbt, so this does what dbt does with a model: it fills in the template and runs dbt's statements. */

const folder = 'deploy/bi/dbt/models';
type DataTest = string | { readonly unique: { readonly arguments: { readonly column_name: string } } };
type Described = {
  readonly name: string;
  readonly data_tests: readonly DataTest[];
  readonly columns: readonly { readonly name: string; readonly data_tests?: readonly DataTest[] }[];
};
const described = parse(read(`${folder}/schema.yml`)).models as Described[];
const [source] = parse(read(`${folder}/sources.yml`)).sources as [
  { name: string; schema: string; tables: { name: string }[] },
];

/** The parts of a model that dbt knows by its config, and its query for a table. */
function modelOf(file: string) {
  const template = read(`${folder}/${file}`);
  const [block, config] = /^\{\{ config\((.*?)\) \}\}$/ms.exec(template) as unknown as [string, string];
  return {
    materialized: /materialized='(.*?)'/.exec(config)?.[1],
    strategy: /incremental_strategy='(.*?)'/.exec(config)?.[1],
    key: /unique_key=\[(.*?)\]/.exec(config)?.[1]?.replaceAll(`'`, ''),
    hook: /post_hook="(.*?)"/.exec(config)?.[1] ?? '',
    query: (table: string, isIncremental: boolean) => fill(template.replace(block, ''), table, isIncremental),
  };
}
type Model = ReturnType<typeof modelOf>;

function fill(template: string, table: string, isIncremental: boolean): string {
  const filled = template
    .replaceAll(/\{% if is_incremental\(\) %\}(.*?)\{% endif %\}/gs, isIncremental ? '$1' : '')
    .replaceAll(/\{\{ source\('(\w+)', '(\w+)'\) \}\}/g, (_, name, table) => {
      expect(name).toBe(source.name);
      expect(source.tables.map(({ name }) => name)).toContain(table);
      return `${source.schema}.${table}`;
    })
    .replaceAll('{{ this }}', table);
  expect(filled).not.toMatch(/[{}]/);
  return filled;
}

const campaignDays = modelOf('callsheet_campaign_days.sql');
const accountDays = modelOf('staging/stg_callsheet_account_days.sql');
const built = 'analytics.callsheet_campaign_days';

/** What the first build does, and one with --full-refresh, in one transaction. */
async function buildAnew(dbt: pg.Client, model = campaignDays, table = built): Promise<void> {
  await dbt.query(`
    drop table if exists ${table};
    create table ${table} as (${model.query(table, false)}
    );
    ${fill(model.hook, table, false)}`);
}

/** What a later build does by delete+insert, in one transaction. Returns the days that it reloads. */
async function build(dbt: pg.Client, { key, hook, query }: Model = campaignDays): Promise<string[]> {
  await dbt.query(`
    create temporary table reloaded as (${query(built, true)}
    );
    delete from ${built} where (${key}) in (select distinct ${key} from reloaded);
    insert into ${built} (select * from reloaded);
    ${fill(hook, built, true)}`);
  const { rows } = await dbt.query('select distinct day from reloaded order by day');
  await dbt.query('drop table reloaded');
  return rows.map(({ day }) => day);
}

const rowsOf = async (dbt: pg.Client, table = built) =>
  (await dbt.query(`select * from ${table} order by account_id, day, callset_id`)).rows;

async function expectAsAnew(dbt: pg.Client): Promise<void> {
  await buildAnew(dbt, campaignDays, 'analytics.anew');
  const rows = await rowsOf(dbt, 'analytics.anew');
  expect(rows).not.toHaveLength(0);
  expect(await rowsOf(dbt)).toEqual(rows);
}

/** All values are text, as Postgres writes them. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    types: { getTypeParser: () => (text: string) => text },
  });
  await client.connect();
  return client;
}

let database: TestDatabase;
let callsheet: pg.Client;
let role: TestRole;
let dbt: pg.Client;
beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  callsheet = await connect(database.url);
  role = await createStranger();
  await callsheet.query(
    `grant callsheet_reader to ${role.name}; create schema analytics authorization ${role.name}`,
  );
  dbt = await connect(role.url(database.url));
});
afterAll(async () => {
  await dbt.end();
  await callsheet.end();
  await database.drop();
  await role.drop();
});

/** Attempts by callset. */
type Campaigns = Readonly<Record<number, number>>;
type Load = {
  readonly at: string;
  readonly account?: number;
  readonly state?: string;
  readonly by?: pg.Client;
};

/** Writes what a load writes: rows that changed, rows that are no longer listed as withdrawn, and the day. */
async function load(day: string, campaigns: Campaigns, options: Load): Promise<void> {
  const { at, account = 1, state = 'loaded', by = callsheet } = options;
  const ids = Object.keys(campaigns);
  await by.query(
    `insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, loaded_at)
     select $1, $2, id, 'campaign ' || id, attempts, $3 from unnest($4::bigint[], $5::bigint[]) as r (id, attempts)
     on conflict (account_id, day, callset_id) do update
     set attempts = excluded.attempts, restated_at = excluded.loaded_at, withdrawn_at = null
     where etl.campaign_days.attempts <> excluded.attempts or etl.campaign_days.withdrawn_at is not null`,
    [account, day, at, ids, Object.values(campaigns)],
  );
  await by.query(
    `update etl.campaign_days set withdrawn_at = $3
     where account_id = $1 and day = $2 and withdrawn_at is null and callset_id <> all($4::bigint[])`,
    [account, day, at, ids],
  );
  await by.query(
    `insert into etl.windows (account_id, day, state, listed_campaigns, first_loaded_at, synced_at, updated_at)
     values ($1, $2, $3, $4, $5, $5, $5)
     on conflict (account_id, day) do update
     set state = excluded.state, listed_campaigns = excluded.listed_campaigns, updated_at = excluded.updated_at`,
    [account, day, state, ids.length, at],
  );
}

/** Four nights, and the first build. */
beforeEach(async () => {
  await callsheet.query(`
    truncate warehouse.accounts, etl.campaign_days restart identity cascade;
    insert into warehouse.accounts (name, label, time_zone)
    values ('north', 'North', 'UTC'), ('coast', 'Coast', 'America/Costa_Rica')`);
  await load('2026-03-01', { 1: 100, 2: 200 }, { at: '2026-03-02 05:00Z' });
  await load('2026-03-02', { 1: 110, 2: 210 }, { at: '2026-03-03 05:00Z', state: 'provisional' });
  await load('2026-03-03', { 1: 120, 2: 220 }, { at: '2026-03-04 05:00Z' });
  await load('2026-03-03', { 1: 500 }, { at: '2026-03-04 05:00Z', account: 2 });
  await load('2026-03-04', {}, { at: '2026-03-05 05:00Z' });
  await load('2026-03-04', { 1: 510 }, { at: '2026-03-05 05:00Z', account: 2 });
  await buildAnew(dbt);
});

/** The fifth night. */
const at = '2026-03-06 05:00Z';
/** Attempts by callset of a day of north, in the model. */
const campaignsOf = async (day: string) => {
  const rows = (await rowsOf(dbt)).filter((row) => row.account === 'north' && row.day === day);
  return Object.fromEntries(rows.map(({ callset_id, attempts }) => [callset_id, Number(attempts)]));
};

/** One day is half listed, one is corrected, one gets a campaign and loses one, and one is empty for two nights. */
const changingDays: Story = {
  about: 'days change after they were loaded',
  accounts: THREE_ACCOUNTS,
  nights: [
    [],
    [{ event: 'half listed', account: 'north', daysAgo: 1 }],
    [{ event: 'late correction', account: 'coast', daysAgo: 2, percent: 8 }],
    [{ event: 'campaign added later', account: 'valley', daysAgo: 2 }],
    [{ event: 'campaign withdrawn', account: 'valley', daysAgo: 2 }],
    [{ event: 'empty day', account: 'coast', daysAgo: 2 }],
    [],
  ],
};

describe('callsheet_campaign_days', () => {
  it('is a table from which dbt deletes the days that it reloads', () => {
    const { materialized, strategy, key } = campaignDays;
    expect([materialized, strategy, key]).toEqual(['incremental', 'delete+insert', 'account_id, day']);
  });

  it('has the rows of campaign_days but for the client that their account is', async () => {
    const { rows } = await dbt.query(
      'select * from warehouse.campaign_days order by account_id, day, callset_id',
    );
    expect(rows).toHaveLength(8);
    expect(await rowsOf(dbt)).toEqual(
      rows.map(({ client: _, listed_by_account_id: __, listed_client_id: ___, ...row }) => row),
    );
  });

  it('stays the same if nothing changed, and only the last night is reloaded', async () => {
    const rows = await rowsOf(dbt);
    for (const _ of ['once', 'again']) {
      expect(await build(dbt)).toEqual(['2026-03-04']);
      expect(await rowsOf(dbt)).toEqual(rows);
    }
    await expectAsAnew(dbt);
  });

  it('gets a new day', async () => {
    await load('2026-03-05', { 1: 140, 3: 340 }, { at });
    expect(await build(dbt)).toEqual(['2026-03-04', '2026-03-05']);
    expect(await campaignsOf('2026-03-05')).toEqual({ 1: 140, 3: 340 });
    await expectAsAnew(dbt);
  });

  it('gets the counts of a restated campaign, however old its day is', async () => {
    await load('2026-03-01', { 1: 100, 2: 222 }, { at });
    expect(await build(dbt)).toEqual(['2026-03-01', '2026-03-04']);
    expect(await campaignsOf('2026-03-01')).toEqual({ 1: 100, 2: 222 });
    await expectAsAnew(dbt);
  });

  it('loses a withdrawn campaign', async () => {
    await load('2026-03-01', { 1: 100 }, { at });
    await build(dbt);
    expect(await campaignsOf('2026-03-01')).toEqual({ 1: 100 });
    await expectAsAnew(dbt);
  });

  it('loses a day whose campaigns all disappear, and gets it again if they return', async () => {
    await load('2026-03-01', {}, { at });
    await build(dbt);
    expect(await campaignsOf('2026-03-01')).toEqual({});
    await expectAsAnew(dbt);
    await load('2026-03-01', { 2: 200 }, { at: '2026-03-07 05:00Z' });
    await build(dbt);
    expect(await campaignsOf('2026-03-01')).toEqual({ 2: 200 });
    await expectAsAnew(dbt);
  });

  it('shows that a provisional day was confirmed, though no row of it changed', async () => {
    const versions = async () => (await callsheet.query('select xmin, ctid from etl.campaign_days')).rows;
    const provisional = async () => (await rowsOf(dbt)).filter((row) => row.provisional === 't').length;
    const before = await versions();
    await load('2026-03-02', { 1: 110, 2: 210 }, { at });
    expect(await versions()).toEqual(before);
    expect(await provisional()).toBe(2);
    await build(dbt);
    expect(await provisional()).toBe(0);
    await expectAsAnew(dbt);
  });

  it('gets a change that is committed after a later one', async () => {
    const slow = await connect(database.url);
    try {
      await slow.query('begin');
      await load('2026-03-01', { 1: 199 }, { at: '2026-03-06 04:00Z', by: slow });
      await load('2026-03-05', { 1: 140 }, { at });
      expect(await build(dbt)).toEqual(['2026-03-04', '2026-03-05']);
      await slow.query('commit');
    } finally {
      await slow.end();
    }
    expect(await build(dbt)).toEqual(['2026-03-01', '2026-03-05']);
    expect(await campaignsOf('2026-03-01')).toEqual({ 1: 199 });
    await expectAsAnew(dbt);
  });

  it('misses a change that is committed over a day after a later one, until its day changes again', async () => {
    await load('2026-03-05', { 1: 140 }, { at });
    await build(dbt);
    await load('2026-03-01', { 1: 199 }, { at: '2026-03-05 04:59Z' });
    expect(await build(dbt)).toEqual(['2026-03-05']);
    expect(await campaignsOf('2026-03-01')).toEqual({ 1: 100, 2: 200 });
    await load('2026-03-01', { 1: 200 }, { at: '2026-03-07 05:00Z' });
    await build(dbt);
    await expectAsAnew(dbt);
  });

  it('fills once there are days, if there were none at first', async () => {
    await callsheet.query('truncate etl.windows, etl.campaign_days cascade');
    await buildAnew(dbt);
    expect([await build(dbt), await rowsOf(dbt)]).toEqual([[], []]);
    await load('2026-03-01', { 1: 100 }, { at });
    await build(dbt);
    await expectAsAnew(dbt);
  });

  it('keeps what forget erased until it is built anew', async () => {
    await callsheet.query(`
      delete from etl.campaign_days where account_id = 1;
      delete from etl.windows where account_id = 1;
      delete from warehouse.accounts where account_id = 1`);
    await build(dbt);
    expect(await campaignsOf('2026-03-01')).toEqual({ 1: 100, 2: 200 });
    await buildAnew(dbt);
    expect(new Set((await rowsOf(dbt)).map(({ account }) => account))).toEqual(new Set(['coast']));
  });

  it('misses nothing that nights of the job change, even without the day of overlap', async () => {
    const withoutOverlap = {
      ...campaignDays,
      query: (table: string, isIncremental: boolean) =>
        campaignDays.query(table, isIncremental).replace(`interval '1 day'`, `interval '0'`),
    };
    const life = await openLife({ story: changingDays, firstNight: '2026-03-10' });
    const owner = await connect(life.world.databaseUrl);
    try {
      await owner.query('create schema analytics');
      await life.live(0);
      await buildAnew(owner);
      for (const night of changingDays.nights.keys().drop(1)) {
        await life.live(night);
        expect((await build(owner, withoutOverlap)).length).toBeLessThan(4);
        await expectAsAnew(owner);
      }
      const { rows } = await owner.query(
        'select distinct reason from warehouse.campaign_day_restatements order by reason',
      );
      expect(rows.map(({ reason }) => reason)).toEqual(['appeared', 'changed', 'withdrawn']);
    } finally {
      await owner.end();
      await life.close();
    }
  });
});

describe('stg_callsheet_account_days', () => {
  it('has the days of account_days, with the names that account and client have now', async () => {
    await callsheet.query(`
      insert into warehouse.clients (account_id, client_id, name, first_seen_at, renamed_at, updated_at)
      values (2, 7, 'Peñasco', now(), now(), now());
      update warehouse.accounts set label = 'North Ltd', listed_by_account_id = 2, listed_client_id = 7 where account_id = 1`);
    await buildAnew(dbt, accountDays, 'analytics.staged');
    const { rows: days } = await dbt.query('select * from warehouse.account_days order by account_id, day');
    const names: Readonly<Record<string, object>> = {
      north: { label: 'North Ltd', time_zone: 'UTC', client: 'Peñasco' },
      coast: { label: 'Coast', time_zone: 'America/Costa_Rica', client: null },
    };
    const { rows } = await dbt.query('select * from analytics.staged order by account_id, day');
    expect(rows).toEqual(days.map((day) => ({ ...day, ...names[day.account] })));
    expect(rows).toHaveLength(6);
  });

  it('is a table: as a view, it would keep an upgrade of Callsheet from replacing account_days', () => {
    expect(accountDays.materialized).toBe('table');
  });
});

describe('schema.yml', () => {
  const models: Readonly<Record<string, Model>> = {
    stg_callsheet_account_days: accountDays,
    callsheet_campaign_days: campaignDays,
  };

  it('describes both models', () => {
    expect(described.map(({ name }) => name)).toEqual(Object.keys(models));
  });

  it.each(described)('has columns and tests of $name that hold', async ({ name, data_tests, columns }) => {
    const table = 'analytics.described';
    await buildAnew(dbt, models[name], table);
    const { fields } = await dbt.query(`select * from ${table}`);
    expect(fields.map((field) => field.name)).toEqual(
      expect.arrayContaining(columns.map(({ name }) => name)),
    );
    const wrong = [
      ...data_tests.map((test) => {
        const key = (test as Exclude<DataTest, string>).unique.arguments.column_name;
        return `select ${key} from ${table} group by 1 having count(*) > 1`;
      }),
      ...columns.flatMap(({ name, data_tests = [] }) =>
        data_tests.map((test) => {
          expect(test).toBe('not_null');
          return `select from ${table} where ${name} is null`;
        }),
      ),
    ];
    for (const query of wrong) expect((await dbt.query(query)).rows).toEqual([]);
    expect(wrong.length).toBeGreaterThan(3);
  });
});
