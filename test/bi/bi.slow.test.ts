import { globSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, root } from '../deploy/known.ts';
import { clientOfCoast, datasetOfMarch, type Lived, liveAnalystsStory, today } from './analysts-story.ts';
import { answers } from './twelve-questions.ts';

let lived: Lived;
beforeAll(async () => {
  lived = await liveAnalystsStory();
});
afterAll(async () => await lived.close());

describe('deploy/bi/queries', () => {
  const files = globSync('deploy/bi/queries/*.sql', { cwd: root }).sort();
  /** Instants that are the machine's: what remains of them is their day, or nothing. */
  const days = ['restated_at', 'valid_from', 'valid_to'];
  const leftOut = ['last_loaded_at', 'reason'];

  it('asks each of the twelve questions, and docs/warehouse.md links each once', () => {
    expect(files.map((file) => path.basename(file, '.sql'))).toEqual(Object.keys(answers));
    const links = [...read('docs/warehouse.md').matchAll(/\(\.\.\/(deploy\/bi\/queries\/[^)]+)\)/g)];
    expect(links.map(([, file]) => file)).toEqual(files);
    for (const file of files) expect(read(file)).toMatch(/^-- .*\n/);
  });

  it.each(files)('%s answers with what the story made true', async (file) => {
    const { rows, fields } = await lived.reader.query<Record<string, string | null>>(read(file));
    const columns = fields.map(({ name }) => name).filter((name) => !leftOut.includes(name));
    const found = rows.map((row) =>
      columns.map((name) => (days.includes(name) ? (row[name]?.slice(0, 10) ?? null) : row[name])),
    );
    const expected = answers[path.basename(file, '.sql')]!(lived.truth);
    expect(found).toEqual(expected.map((cells) => cells.map(textOf)));
    expect(rows).not.toHaveLength(0);
  });

  it('says why a day is missing or held', async () => {
    const { rows } = await lived.reader.query(read('deploy/bi/queries/05-missing-days.sql'));
    for (const { state, reason } of rows)
      expect([state, reason]).toEqual([
        state,
        { missing: null, failed: expect.stringMatching(/token/), loaded: expect.stringMatching(/campaigns/) }[
          state as 'missing' | 'failed' | 'loaded'
        ],
      ]);
  });

  it('names the client that an account is, and nobody for the others', async () => {
    const { rows } = await lived.reader.query({
      text: 'select account, client from warehouse.campaign_days group by 1, 2 order by 1',
      rowMode: 'array',
    });
    const { clientname } = clientOfCoast(datasetOfMarch());
    expect(rows).toEqual([
      ['coast', null],
      ['north', clientname],
      ['valley', null],
    ]);
  });
});

/** As Postgres writes it. */
const textOf = (cell: string | number | boolean | null) =>
  cell === null ? null : typeof cell === 'boolean' ? (cell ? 't' : 'f') : String(cell);

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
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
};
const dashboard = (name: string) => JSON.parse(read(`deploy/bi/grafana/${name}.json`)) as Dashboard;
const panelsOf = (name: string) =>
  dashboard(name).panels.map((panel) => ({ name: `${panel.type} ${panel.title}`, panel }));

describe('deploy/bi/grafana/warehouse.json', () => {
  it.each(panelsOf('warehouse'))('$name has rows, and every column that it formats', async ({ panel }) => {
    const { query } = dashboard('warehouse').templating.list.find(({ name }) => name === 'account')!;
    const names = (await lived.reader.query({ text: query as string, rowMode: 'array' })).rows.flat();
    expect(names).toHaveLength(3);
    const [{ rawSql, format }] = panel.targets as [{ rawSql: string; format: string }];
    const { rows, fields } = await lived.reader.query(interpolate(rawSql, names));
    expect(rows).not.toHaveLength(0);
    const columns = fields.map(({ name }) => name);
    const formatted = panel.fieldConfig.overrides.map(({ matcher }) => matcher.options);
    expect(columns).toEqual(expect.arrayContaining(formatted));
    if (format === 'time_series') expect(columns.slice(0, 2)).toEqual(['time', 'metric']);
    if (panel.type === 'stat') expect(rows).toEqual([{ [columns[0]!]: expect.stringMatching(/^[\d.]+$/) }]);
  });
});

/** What Grafana sends for the last thirty days and all accounts. */
function interpolate(sql: string, accounts: readonly string[]): string {
  const [from, to] = [today.subtract({ days: 30 }), today.add({ days: 1 })];
  return sql
    .replaceAll(/\$__timeFilter\((\w+)\)/g, `$1 BETWEEN '${from}T00:00:00Z' AND '${to}T00:00:00Z'`)
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

describe('deploy/bi/dbt/sources.yml', () => {
  const [source] = parse(read('deploy/bi/dbt/sources.yml')).sources as [
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
    const { rows } = await lived.reader.query(
      `select table_name from information_schema.tables where table_schema = $1`,
      [source.schema],
    );
    const names = source.tables.map(({ name }) => name);
    expect(names.sort()).toEqual(rows.map(({ table_name }) => table_name).sort());
    for (const { name, config } of source.tables)
      if (config) await lived.reader.query(`select ${config.loaded_at_field} from warehouse.${name}`);
  });

  it.each(declared)(
    '$table $column: $kind holds, of rows that are there',
    async ({ table, column, kind, options }) => {
      const from = `(select * from warehouse.${table} where ${options.config?.where ?? true}) rows`;
      const [count] = (await lived.reader.query(`select count(*) from ${from}`)).rows;
      expect(Number(count.count)).toBeGreaterThan(0);
      const { rows } = await lived.reader.query(failing(kind, column, options.arguments ?? {}, from));
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
