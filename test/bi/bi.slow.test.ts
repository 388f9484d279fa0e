import { globSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, root } from '../deploy/known.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { compareCopy, copied, copyNight } from './copies.ts';
import {
  accounts,
  atNow,
  days,
  freezeViews,
  type LoadedStory,
  loadStory,
  northAsClient,
  today,
} from './story.ts';

const files = globSync('deploy/bi/queries/*.sql', { cwd: root }).sort();
/** Questions that are in no document: their SQL was written by the documents alone, before anybody looked at the views. */
const others = globSync('test/bi/twenty/*.sql', { cwd: root }).sort();

let story: LoadedStory;
beforeAll(async () => {
  story = await loadStory(copyNight);
});
afterAll(async () => await story.close());

/** Ana asks at her desk: her session has another zone than the accounts and the settings. */
const zones = ['UTC', 'America/Los_Angeles', 'Asia/Kolkata'];

/** The rows of an answer at the story's time, as Postgres writes them. */
async function ask(statement: string, zone: string): Promise<(string | null)[][]> {
  await story.reader.query(`set time zone '${zone}'`);
  return (await story.reader.query<(string | null)[]>({ text: atNow(statement), rowMode: 'array' })).rows;
}

it.each(zones)('in a session of %s, each question has the answer of answers.txt', async (zone) => {
  const sections: string[] = [];
  for (const file of [...files, ...others]) {
    const rows = await ask(read(file), zone);
    expect(rows, `${file} has no answer in the story`).not.toHaveLength(0);
    sections.push(
      [`# ${path.basename(file, '.sql')}`, ...rows.map((cells) => cells.map(String).join(' | '))].join('\n'),
    );
  }
  await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot('answers.txt');
});

describe('deploy/bi/queries', () => {
  it('has thirty, and docs/warehouse.md links each by its first line', () => {
    expect(files).toHaveLength(30);
    const links = read('docs/warehouse.md').matchAll(/^- \[(.*?)\]\(\.\.\/(deploy\/bi\/queries\/.+)\)$/gm);
    const questions = files.map((file) => [/^-- (.*?)(?:(?<=\?)|\.)\s/.exec(read(file))![1], file]);
    expect([...links].map(([, question, file]) => [question, file])).toEqual(questions);
  });

  it.each(files.filter((file) => /(campaign|account|restated)_days|coverage/.test(read(file))))(
    '%s says in its first line what it does with provisional days',
    (file) => {
      expect(read(file).split('\n')[0]).toMatch(/^-- .*provisional/);
    },
  );

  it('names the client that an account is, and nobody for the others', async () => {
    const { rows } = await story.reader.query({
      text: 'select account, client from warehouse.campaign_days group by 1, 2 order by 1',
      rowMode: 'array',
    });
    expect(rows).toEqual(accounts.map(({ name }) => [name, name === 'north' ? northAsClient.name : null]));
  });
});

describe('docs/analysts.md', () => {
  it('says how to copy each relation that has a cursor', async () => {
    const { rows } = await story.reader.query<{ relation: string }>(
      `select table_name as relation from information_schema.columns
       where table_schema = 'warehouse' and column_name in ('updated_at', 'restated_at')
         and table_name not in ('account_performance', 'restated_days')
       group by 1 order by 1`,
    );
    expect(copied.map(({ relation }) => relation).sort()).toEqual(rows.map(({ relation }) => relation));
  });

  it.each(copied.filter(({ relation }) => !['runs', 'mails', 'deliveries'].includes(relation)))(
    'the copy of $relation equals its original after a hundred nights',
    async ({ relation }) => {
      const { original, copy } = await compareCopy(story.owner, relation);
      expect(original).not.toHaveLength(0);
      expect(copy).toEqual(original);
    },
  );

  it('copies of days with the names of accounts and clients say what campaign_days does', async () => {
    const lines = async (query: string) =>
      (await story.owner.query<{ line: string }>(`select t::text as line from (${query}) t order by 1`)).rows;
    const joined = `select d.account_id, d.day, d.callset_id, a.name, c.name as client from copy.campaign_days d
      join warehouse.accounts a using (account_id)
      left join copy.clients c on (c.account_id, c.client_id) = (a.listed_by_account_id, a.listed_client_id)`;
    expect(await lines(joined)).toEqual(
      await lines('select account_id, day, callset_id, account, client from warehouse.campaign_days'),
    );
  });

  const rules = read('docs/analysts.md')
    .split(/^## \d\. /m)
    .slice(1);
  const sql = (rule: string) => [...rule.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, text]) => text!);
  /** The last column of each right answer. */
  const truths = [
    '508.7 535.8 1058.9 218.0 925.8',
    '508.7 535.8 1058.9 218.0 null',
    '0.5321 0.5342 0.5238 0.5209 0.5136',
    Array(101).fill('1').join(' '),
    '12 13 14 15 16 11 13 14 15 16 17 10 12 13 14 15 16 17 09 13 14 15 16 17'.replaceAll(
      /\d+/g,
      '2026-03-$&',
    ),
  ];

  it.each(rules.map((rule, index) => ({ title: rule.split('\n')[0], rule, index })))(
    '$title: the query that follows the rule is right, the one above is not',
    async ({ rule, index }) => {
      const [wrong, right, ...further] = sql(rule);
      expect(further).toEqual([]);
      const lastColumn = async (statement: string, zone: string) =>
        (await ask(statement, zone))
          .map((cells) => cells.at(-1))
          .map(String)
          .join(' ');
      // A cursor is a time: it differs between sessions.
      for (const zone of rule.startsWith('Old days') ? ['UTC'] : zones) {
        expect(await lastColumn(right!, zone)).toBe(truths[index]);
        expect(await lastColumn(wrong!, zone)).not.toBe(truths[index]);
      }
    },
  );
});

type Panel = {
  readonly type: string;
  readonly title: string;
  readonly fieldConfig: { readonly overrides: readonly { readonly matcher: { readonly options: string } }[] };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly {
    readonly rawSql?: string;
    readonly format?: string;
  }[];
};
type Dashboard = {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly target: { readonly rawSql: string } }[] };
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly query: string }[];
  };
  readonly links: readonly { readonly url: string }[];
};
const dashboard = (name: string) => JSON.parse(read(`deploy/bi/grafana/${name}.json`)) as Dashboard;
const panelsOf = (name: string) =>
  dashboard(name).panels.map((panel) => ({ name: `${panel.type} ${panel.title}`, panel }));
const sqlOf = (named: string) =>
  panelsOf('warehouse').find(({ name }) => name === named)!.panel.targets[0]!.rawSql!;
const [marks] = dashboard('warehouse').annotations.list;
const variable = (named: string) =>
  dashboard('warehouse').templating.list.find(({ name }) => name === named)!;

describe('deploy/bi/grafana/warehouse.json', () => {
  it.each(panelsOf('warehouse'))('$name has rows, and every column that it formats', async ({ panel }) => {
    const text = variable('account').query;
    const names = (await story.reader.query({ text, rowMode: 'array' })).rows.flat();
    expect(names.sort()).toEqual(accounts.map(({ name }) => name));
    const [{ rawSql, format }] = panel.targets as [{ rawSql: string; format: string }];
    const { rows, fields } = await story.reader.query(interpolate(rawSql, names));
    expect(rows).not.toHaveLength(0);
    const columns = fields.map(({ name }) => name);
    const formatted = panel.fieldConfig.overrides.map(({ matcher }) => matcher.options);
    expect(columns).toEqual(expect.arrayContaining(formatted));
    if (format === 'time_series') expect(columns.slice(0, 2)).toEqual(['time', 'metric']);
    if (panel.type === 'stat') expect(rows).toEqual([{ [columns[0]!]: expect.stringMatching(/^[\d.]+$/) }]);
  });

  it('counts the days of the story that are missing, failed or provisional as open', async () => {
    const names = accounts.map(({ name }) => name);
    const open = days.filter(({ account, state }) => account !== 'old' && state !== 'loaded');
    const { rows } = await story.reader.query(interpolate(sqlOf('stat Open days'), names));
    expect(rows).toEqual([{ open_days: `${open.length}` }]);
  });

  it('marks the days of the story that are provisional still, and no others', async () => {
    const { rows } = await story.reader.query(
      interpolate(
        marks!.target.rawSql,
        accounts.map(({ name }) => name),
      ),
    );
    const marked = rows.flatMap(({ time, text }) =>
      text.split('<br>').map((line: string) => `${time.slice(0, 10)} ${line.split(':')[0]}`),
    );
    const provisional = days.filter(({ state, ago }) => state === 'provisional' && ago <= 30);
    expect(marked.sort()).toEqual(provisional.map(({ day, account }) => `${day} ${account}`).sort());
  });

  it('links the page and the runbook, each by a variable that is set in one place', () => {
    expect(dashboard('warehouse').links.map(({ url }) => url)).toEqual([
      `\${${variable('page').name}:raw}`,
      `\${${variable('runbook').name}:raw}`,
    ]);
    expect(variable('page')).toMatchObject({ type: 'constant', query: 'http://127.0.0.1:8080/' });
    expect(variable('runbook')).toMatchObject({
      type: 'constant',
      query: expect.stringMatching(/^https:\/\/.*\/docs\/operations\.md$/),
    });
    expect(read('docs/operations.md')).toContain('This is the runbook');
  });
});

describe('deploy/bi/grafana/warehouse.json of 2,000 accounts', () => {
  let database: TestDatabase;
  let reader: pg.Client;
  const names = ['others', ...Array.from({ length: 1_999 }, (_, index) => `account ${index + 2}`)];
  const ask = async (sql: string, of: readonly string[] = names) =>
    (await reader.query<Record<string, string | null>>(interpolate(sql, of))).rows;
  beforeAll(async () => {
    database = await createDatabase({ template: 'migrated' });
    reader = new pg.Client({
      connectionString: database.url,
      types: { getTypeParser: () => (text: string) => text },
    });
    await reader.connect();
    await reader.query(`set time zone 'UTC'; set datestyle = 'ISO'; set jit = off`);
    await fillTenDays(reader);
    await freezeViews(reader);
    await reader.query('analyze; set role callsheet_reader');
  });
  afterAll(async () => {
    await reader.end();
    await database.drop();
  });

  it.each([1, 10, 11, 2_000])(
    'draws %i accounts as the ten largest and the others, without losing an attempt',
    async (count) => {
      const of = names.slice(0, count);
      const days = (
        await reader.query(
          `select day::timestamp as time, account, attempts, connect_rate_connects as connects,
             connect_rate_attempts as rated
           from warehouse.account_days where account = any($1) order by account`,
          [of],
        )
      ).rows as Readonly<Record<'time' | 'account' | 'attempts' | 'connects' | 'rated', string>>[];
      const byAccount = Map.groupBy(days, ({ account }) => account);
      const attemptsOf = (account: string) => sum(byAccount.get(account)!);
      const largest =
        of.length <= 10 ? of : of.toSorted((a, b) => attemptsOf(b) - attemptsOf(a)).slice(0, 10);
      const other = `others (${count - 10})`;
      const shown = (account: string) => (largest.includes(account) ? account : other);
      const groups = Map.groupBy(days, ({ time, account }) => `${time} ${shown(account)}`);

      const attempts = await ask(sqlOf('timeseries Attempts by account'), of);
      expect(new Set(attempts.map(({ metric }) => metric))).toEqual(new Set(of.map(shown)));
      expect(new Set(of.map(shown)).size).toBe(Math.min(count, 11));
      expect(attempts).toHaveLength(groups.size);
      expect(sum(attempts)).toBe(sum(days));
      const [{ attempts: all }] = (await ask(sqlOf('stat Attempts'), of)) as [{ attempts: string }];
      expect(Number(all)).toBe(sum(days));
      const rates = await ask(sqlOf('timeseries Connect rate by account'), of);
      expect(rates.map(({ time, metric }) => [time, metric])).toEqual(
        attempts.map(({ time, metric }) => [time, metric]),
      );
      for (const [index, { time, metric, connect_rate }] of rates.entries()) {
        const parts = groups.get(`${time} ${metric}`)!;
        expect(Number(attempts[index]!.attempts)).toBe(sum(parts));
        const rated = sum(parts, 'rated');
        if (rated === 0) expect(connect_rate).toBeNull();
        else expect(Number(connect_rate)).toBeCloseTo(sum(parts, 'connects') / rated, 12);
      }
      const [{ connect_rate: rate }] = (await ask(sqlOf('stat Connect rate'), of)) as [
        { connect_rate: string },
      ];
      expect(Number(rate)).toBeCloseTo(sum(days, 'connects') / sum(days, 'rated'), 12);
    },
  );

  it('lists the twenty largest campaigns, by the name of their newest day, and draws ten of them', async () => {
    const found = await ask(sqlOf('table Campaigns, the top 20'));
    const { rows: expected } = await reader.query(
      `select c.account, c.callset_id, n.campaign, c.attempts, c.connect_rate, c.last_day from (
         select account, callset_id, sum(attempts) as attempts,
           sum(connects) / sum(case when connects is not null then attempts end) as connect_rate,
           max(day) as last_day
         from warehouse.campaign_days group by 1, 2) c
       join warehouse.campaign_days n on (n.account, n.callset_id, n.day) = (c.account, c.callset_id, c.last_day)
       order by c.attempts desc nulls last, c.account, c.callset_id limit 20`,
    );
    expect(found).toEqual(expected);
    expect(found.map(({ campaign }) => campaign)).toEqual(
      found.map(({ callset_id }) => `campaign ${callset_id}`),
    );
    const drawn = await ask(sqlOf('timeseries Attempts of the top 10 campaigns'));
    const series = Map.groupBy(drawn, ({ metric }) => metric);
    expect(series.size).toBe(10);
    for (const { account, callset_id, campaign, attempts } of found.slice(0, 10))
      expect(sum(series.get(`${account}, ${callset_id}, ${campaign}`)!)).toBe(Number(attempts));
  });

  it('lists the worst 50 rows of each table, beside the number of all', async () => {
    const open = await ask(sqlOf('table Freshness, the worst 50'));
    expect(open).toHaveLength(50);
    expect(open.every(({ complete_through_day }) => complete_through_day === null)).toBe(true);
    expect(await ask(sqlOf('stat Accounts with open days'))).toEqual([{ accounts_behind: '2000' }]);
    const days = await ask(sqlOf('table Days that need a look, the worst 50'));
    expect(days.map(({ state, held }) => `${state} ${held}`)).toEqual(Array(50).fill('missing f'));
    // Of ten accounts, each misses ten days; four days are provisional, and two are held.
    expect(await ask(sqlOf('stat Days that need a look'))).toEqual([{ days: '21200' }]);
    const restated = await ask(sqlOf('table Restated days, the worst 50'));
    const sizes = restated.map(({ attempts, attempts_before }) =>
      Math.abs(Number(attempts) - Number(attempts_before)),
    );
    expect(sizes).toHaveLength(50);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(await ask(sqlOf('stat Restated days'))).toEqual([{ restated_days: '2000' }]);
    expect(await ask(sqlOf('stat Accounts'))).toEqual([{ accounts: '2000' }]);
    expect(await ask(sqlOf('stat Campaigns'))).toEqual([{ campaigns: '3750' }]);
  });

  it('marks each provisional day once, with its accounts and why, or with ten of them and how many more', async () => {
    const few = await ask(marks!.target.rawSql, ['others', 'account 2', 'account 3']);
    const time = (days: number) => `${today.subtract({ days })} 00:00:00`;
    const tags = 'provisional';
    expect(few).toEqual([
      { time: time(3), title: 'Provisional: 1 account', text: 'others: not confirmed', tags },
      {
        time: time(1),
        title: 'Provisional: 2 accounts',
        text: 'others: not confirmed<br>account 2: not confirmed',
        tags,
      },
    ]);
    const all = await ask(marks!.target.rawSql);
    expect(all.map(({ title }) => title)).toEqual(['Provisional: 200 accounts', 'Provisional: 600 accounts']);
    const lines = all[1]!.text!.split('<br>');
    expect([lines.length, lines[0], lines[10]]).toEqual([11, 'others: not confirmed', 'and 590 more']);
  });
});

const sum = <Name extends string = 'attempts'>(
  rows: readonly Readonly<Partial<Record<Name, string | null>>>[],
  name = 'attempts' as Name,
) => rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);

/**
 * Two campaigns of each account on the ten days up to yesterday, of the twenty that are expected. An account in eight
 * reports no attempts of one of them, one in five no connects of the other. Before yesterday, all had another name.
 */
async function fillTenDays(client: pg.Client): Promise<void> {
  const yesterday = `date '${today.subtract({ days: 1 })}'`;
  await client.query(
    atNow(`insert into warehouse.accounts (account_id, name, label, time_zone, first_expected_day) overriding system value
       select id, case id when 1 then 'others' else 'account ' || id end, 'Account', 'UTC', ${yesterday} - 19
       from generate_series(1, 2000) id;
     insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, connects, loaded_at)
       select id, ${yesterday} - n, 2 * id + c, case n when 0 then 'campaign ' else 'was ' end || 2 * id + c,
         case when c = 1 and id % 8 = 0 then null when id = 1 then 9000 else (id * 7919 + c * 104729 + n * 31) % 5000 end,
         case when c = 0 and id % 5 = 0 then null else (id * 31 + n) % 400 end, now()
       from generate_series(1, 2000) id, generate_series(0, 9) n, generate_series(0, 1) c;
     insert into etl.windows (account_id, day, state, provisional_reason, held_hash, synced_at, listed_campaigns, active_campaigns,
         attempts, connects, connect_rate_connects, connect_rate_attempts)
       select account_id, day, p.state, case p.state when 'provisional' then 'not confirmed' end,
         case when account_id % 10 in (3, 4) and day = ${yesterday} - 1 then 'other' end, now(), count(*),
         count(*) filter (where attempts > 0), sum(attempts), sum(connects),
         sum(connects) filter (where attempts is not null), sum(attempts) filter (where connects is not null)
       from etl.campaign_days
       cross join lateral (
         select case when account_id % 10 < 3 and day = ${yesterday} or account_id % 10 = 1 and day = ${yesterday} - 2
           then 'provisional' else 'loaded' end as state) p
       group by account_id, day, p.state;
     insert into etl.past_account_days (account_id, day, restated_at, changed_campaigns, attempts_before, attempts_after, connects_before, connects_after, loaded_at)
       select id, ${yesterday} - 5, now(), 1, id, id + 1, 1, 1, now() from generate_series(1, 2000) id`),
  );
}

/** What Grafana sends for the last thirty days and all accounts. */
function interpolate(sql: string, accounts: readonly string[]): string {
  const [from, to] = [today.subtract({ days: 30 }), today.add({ days: 1 })];
  return atNow(sql)
    .replaceAll(/\$__timeFilter\(([\w.]+)\)/g, `$1 BETWEEN '${from}T00:00:00Z' AND '${to}T00:00:00Z'`)
    .replaceAll('$account', accounts.map((name) => `'${name}'`).join());
}

describe('deploy/bi/grafana', () => {
  it.each(['warehouse', 'metrics'])('%s.json lays its panels out without gaps or overlaps', (name) => {
    const cells = dashboard(name).panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(cells.length % 24).toBe(0);
  });
});

type TestOptions = { readonly arguments?: TestArguments; readonly config?: { readonly where: string } };
type DataTest = string | Readonly<Record<string, TestOptions>>;
type TestArguments = {
  readonly column_name?: string;
  readonly values?: readonly string[];
  readonly to?: string;
  readonly field?: string;
};
type SourceTable = {
  readonly name: string;
  readonly data_tests?: readonly DataTest[];
  readonly columns?: readonly { readonly name: string; readonly data_tests: readonly DataTest[] }[];
  readonly config?: { readonly loaded_at_field: string };
};

describe('deploy/bi/dbt/models/sources.yml', () => {
  const [source] = parse(read('deploy/bi/dbt/models/sources.yml')).sources as [
    { schema: string; tables: SourceTable[] },
  ];
  const declared = source.tables.flatMap(({ name: table, data_tests = [], columns = [] }) =>
    [{ name: '', data_tests }, ...columns].flatMap((column) =>
      column.data_tests.map((test) => {
        const [kind, options] =
          typeof test === 'string' ? [test, {} as TestOptions] : Object.entries(test)[0]!;
        return { table, column: column.name, kind, options };
      }),
    ),
  );

  it('has every table and view of the warehouse', async () => {
    const { rows } = await story.reader.query(
      `select table_name from information_schema.tables where table_schema = $1`,
      [source.schema],
    );
    const names = source.tables.map(({ name }) => name);
    expect(names.sort()).toEqual(rows.map(({ table_name }) => table_name).sort());
    for (const { name, config } of source.tables)
      if (config) await story.reader.query(`select ${config.loaded_at_field} from warehouse.${name}`);
  });

  it.each(declared)(
    '$table $column: $kind holds, of rows that are there',
    async ({ table, column, kind, options }) => {
      const from = `(select * from warehouse.${table} where ${atNow(options.config?.where ?? 'true')}) rows`;
      const [count] = (await story.reader.query(`select count(*) from ${from}`)).rows;
      expect(Number(count.count)).toBeGreaterThan(0);
      const { rows } = await story.reader.query(failing(kind, column, options.arguments ?? {}, from));
      expect(rows).toEqual([]);
    },
  );
});

/** The rows that fail one of dbt's own tests. */
function failing(kind: string, column: string, given: TestArguments, from: string): string {
  const tested = given.column_name ?? column;
  switch (kind) {
    case 'not_null':
      return `select * from ${from} where ${tested} is null`;
    case 'unique':
      return `select ${tested} from ${from} where ${tested} is not null group by ${tested} having count(*) > 1`;
    case 'accepted_values':
      return `select * from ${from} where ${tested} not in (${given.values!.map((value) => `'${value}'`).join()})`;
    case 'relationships': {
      const [, parent] = /^source\('callsheet', '(\w+)'\)$/.exec(given.to!)!;
      return `select ${tested} from ${from} where ${tested} not in (select ${given.field} from warehouse.${parent})`;
    }
    default:
      throw new Error(`no such test: ${kind}`);
  }
}
