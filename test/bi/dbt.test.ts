import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { THREE_ACCOUNTS } from '../../src/simulator/accounts.ts';
import type { Story } from '../../src/simulator/story.ts';
import { read } from '../deploy/known.ts';
import { type OpenLife, openLife } from '../stories/live-story.ts';
import { createStranger, type TestRole } from '../support/role.ts';
import { compareCopy, copyNight } from './copies.ts';

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

let life: OpenLife;
let callsheet: pg.Client;
let role: TestRole;
let dbt: pg.Client;
beforeAll(async () => {
  life = await openLife({ story: changingDays, firstNight: '2026-03-10' });
  callsheet = await connect(life.world.databaseUrl);
  role = await createStranger();
  await life.live(0);
  await callsheet.query(
    `grant callsheet_reader to ${role.name}; create schema analytics authorization ${role.name}`,
  );
  dbt = await connect(role.url(life.world.databaseUrl));
  await buildAnew(dbt);
});
afterAll(async () => {
  await dbt.end();
  await callsheet.end();
  await life.close();
  await role.drop();
});

it('the incremental campaign days lack nothing that a night changed, and nothing that was committed late', async () => {
  const withoutOverlap = {
    ...campaignDays,
    query: (table: string, isIncremental: boolean) =>
      campaignDays.query(table, isIncremental).replace(`interval '1 day'`, `interval '0'`),
  };
  expect([campaignDays.materialized, campaignDays.strategy, campaignDays.key]).toEqual([
    'incremental',
    'delete+insert',
    'account_id, day',
  ]);
  for (const night of changingDays.nights.keys().drop(1)) {
    await life.live(night);
    await copyNight(callsheet);
    expect((await build(dbt, withoutOverlap)).length).toBeLessThan(4);
    await expectAsAnew(dbt);
  }
  const { rows } = await callsheet.query(
    'select distinct reason from warehouse.campaign_day_restatements order by reason',
  );
  expect(rows.map(({ reason }) => reason)).toEqual(['appeared', 'changed', 'withdrawn']);
  await callsheet.query(`
    update etl.windows set updated_at = (select max(updated_at) - interval '23 hours' from etl.windows)
    where day = (select min(day) from etl.windows);
    update etl.campaign_days set attempts = attempts + 1 where day = (select min(day) from etl.windows)`);
  await build(dbt);
  await expectAsAnew(dbt);
});

it.each(['runs', 'mails', 'deliveries'])(
  'the copy of %s by its cursor equals its original',
  async (relation) => {
    const { original, copy } = await compareCopy(callsheet, relation);
    expect(original.length).toBeGreaterThan(changingDays.nights.length - 1);
    expect(copy).toEqual(original);
  },
);

it('the staged account days are a table with the names that account and client have now', async () => {
  await callsheet.query(
    `update warehouse.accounts set label = 'North Ltd', listed_by_account_id = c.account_id, listed_client_id = c.client_id
     from (select account_id, client_id from warehouse.clients order by 1, 2 limit 1) c where name = 'north'`,
  );
  await buildAnew(dbt, accountDays, 'analytics.staged');
  const { rows: days } = await dbt.query(
    `select d.*, a.time_zone, c.name as client
     from warehouse.account_days d join warehouse.accounts a using (account_id)
     left join warehouse.clients c on (c.account_id, c.client_id) = (a.listed_by_account_id, a.listed_client_id)
     order by d.account_id, d.day`,
  );
  const { rows } = await dbt.query('select * from analytics.staged order by account_id, day');
  expect(rows).toEqual(days);
  expect(new Set(rows.map(({ client }) => client === null))).toEqual(new Set([true, false]));
  // As a view, it would keep an upgrade of Callsheet from replacing account_days.
  expect(accountDays.materialized).toBe('table');
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
