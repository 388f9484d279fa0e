import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nightly } from '../src/job/nightly.ts';
import type { AppContext } from '../src/job/run/app-context.ts';
import { addDays } from '../src/model/day.ts';
import type { ServiceRequest } from '../src/simulator/middleware.ts';
import { atInstant, never } from './support/nights.ts';
import { openWorld, type World } from './support/world.ts';

/** Queries that read `etl`, too: only the job's role may run them. */
const jobQueries = ['as-reported-on', 'trace'] as const;

function readQuery(name: (typeof jobQueries)[number]): string {
  return readFileSync(path.resolve(import.meta.dirname, `../docs/queries/examples/${name}.sql`), 'utf8');
}

type Reported = {
  callsetid: number;
  campaign: string;
  attempts: number;
  connects: number;
  liveanswers: number;
};

/** What the service says of each day, as the nights below change it. */
const reported = new Map<string, Reported[]>();
const nights = ['2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06'];
/** When each night had ended, and what the service said until then. */
const reports: { readonly at: string; readonly reported: Map<string, Reported[]> }[] = [];
const balances = [250, 99.5, 12];
let world: World;
let reader: pg.Client;

beforeAll(async () => {
  world = await openWorld({ intercept: respond });
  const accountsFile = path.join(world.folder, 'one-account.json');
  const account = { name: 'valley', sidtoken: 'a-token' };
  await writeFile(accountsFile, JSON.stringify([account]));
  const request = { command: 'run', days: null, accounts: null, digest: false, scheduledFor: null };
  for (const [index, night] of nights.entries()) {
    change(night, index);
    const run = (app: AppContext) => nightly(app, request, never);
    await atInstant(world, `${night}T06:30:00Z`, run, { ACCOUNTS_FILE: accountsFile });
    const [now] = await world.query<{ at: string }>('select clock_timestamp()::text as at');
    reports.push({ at: now!.at, reported: new Map(reported) });
  }
  reader = new pg.Client({ connectionString: world.databaseUrl });
  await reader.connect();
  await reader.query('set role callsheet_reader');
});
afterAll(async () => {
  await reader.end();
  await world.close();
});

function respond({ operation, params }: ServiceRequest) {
  if (operation === 'campaignSummary') {
    const [month, day, year] = params.get('startdate')!.split('-');
    return { body: JSON.stringify({ result: reported.get(`${year}-${month}-${day}`) ?? [] }) };
  }
  const data = balances.map((balance, index) => ({
    clientid: index + 1,
    clientname: `Client ${index + 1}`,
    balance,
  }));
  return { body: JSON.stringify({ page: 1, pages: 1, limit: 100, data }) };
}

/** Four campaigns for the day before; and of the one before that, one more call, and a campaign that goes for a night. */
function change(night: string, index: number): void {
  const counts = { connects: 5, liveanswers: 1 };
  const campaign = (id: number) => ({
    callsetid: id,
    campaign: `Campaign ${id}`,
    attempts: 10 * id + index,
    ...counts,
  });
  reported.set(addDays(night, -1), [1, 2, 3, 4].map(campaign));
  const earlier = addDays(night, -2);
  if (index > 0)
    reported.set(
      earlier,
      reported
        .get(earlier)!
        .map((each) => (each.callsetid === 1 ? { ...each, attempts: each.attempts + 1 } : each)),
    );
  if (index === 2)
    reported.set(
      earlier,
      reported.get(earlier)!.filter(({ callsetid }) => callsetid !== 4),
    );
  if (index === 3) reported.set(addDays(night, -3), [...reported.get(addDays(night, -3))!, campaign(4)]);
}

/** A query of the documents, asked about something else, as the job's role. */
async function ask(name: (typeof jobQueries)[number], asked: Record<string, string>) {
  const text = Object.entries(asked).reduce((query, [parameter, value]) => {
    const literal = `(?:date |timestamptz )?(?:null|'[^']*'|\\d+)(?:::bigint)?`;
    const changed = query.replace(new RegExp(`${literal} as ${parameter}\\b`), `${value} as ${parameter}`);
    expect(changed, `${name} has no ${parameter}`).not.toBe(query);
    return changed;
  }, readQuery(name));
  return await world.query<{ callset_id: string; attempts: string; command: string; zstd: Buffer }>(text);
}

describe('the data dictionary', () => {
  it('is what the comments in the database say', async () => {
    await expect(await dataDictionary(reader)).toMatchFileSnapshot('../docs/data-dictionary.md');
  });

  it('has queries that read etl, which the reader of BI tools may not run', async () => {
    for (const name of jobQueries)
      await expect(reader.query(readQuery(name))).rejects.toThrow(/permission denied for schema etl/);
  });

  it('rebuilds what was reported after each night', async () => {
    const days = { account: `'valley'`, first_day: `date '2026-03-01'`, last_day: `date '2026-03-31'` };
    for (const { at, reported } of reports) {
      const rows = await ask('as-reported-on', { ...days, reported_at: `timestamptz '${at}'` });
      const found = rows.map((row) => [row.callset_id, Number(row.attempts)]);
      const expected = [...reported]
        .sort()
        .flatMap(([, campaigns]) =>
          campaigns
            .toSorted((one, other) => one.callsetid - other.callsetid)
            .map((each) => [String(each.callsetid), each.attempts]),
        );
      expect(found).toEqual(expected);
    }
  });

  it('traces a row to every response that it was loaded from, its run and its body', async () => {
    const trace = (of: Record<string, string>) => ask('trace', { account: `'valley'`, ...of });
    const written = await trace({ day: `date '2026-03-02'` });
    expect(written.map((row) => row.command)).toEqual(['run', 'run', 'run']);
    const attempts = written.map(
      (row) => JSON.parse(zstdDecompressSync(row.zstd).toString()).result[0].attempts,
    );
    expect(attempts).toEqual([10, 11, 11]);
    // Client 3 never changed: it came with the page of one load.
    const client = await trace({ client_id: '3' });
    expect(client).toHaveLength(1);
    expect(JSON.parse(zstdDecompressSync(client[0]!.zstd).toString()).data[2]).toMatchObject({ clientid: 3 });
  });
});

type Column = {
  readonly table: string;
  readonly about: string;
  readonly kind: 'r' | 'v';
  readonly column: string;
  readonly type: string;
  readonly key: boolean;
  readonly nullable: boolean;
  readonly comment: string;
};

/** Generates `docs/data-dictionary.md` from the comments in the database. */
async function dataDictionary(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Column>(`
    select c.relname as table, obj_description(c.oid) as about, c.relkind as kind, a.attname as column,
      format_type(a.atttypid, a.atttypmod) as type, coalesce(a.attnum = any(k.conkey), false) as key,
      not a.attnotnull as nullable, col_description(c.oid, a.attnum) as comment
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
    where c.relnamespace = 'warehouse'::regnamespace and c.relkind in ('r', 'v')
    order by c.relkind desc, c.relname collate "C", a.attnum`);
  const tables = [...Map.groupBy(rows, (row) => row.table).values()].map(describeTable);
  return `${[introduction, ...tables, outside].join('\n\n')}\n`;
}

const introduction = `# The data dictionary

The tables and views of the schema \`warehouse\`. \`npm run generate\` writes this page from the comments in the database. [The warehouse](warehouse.md) says how to connect and where to start. \`*\` marks a column of the key, \`?\` one that may be null.`;

function describeTable(columns: readonly Column[]): string {
  const { table, about, kind } = columns[0]!;
  const mark = ({ key, nullable }: Column) => (key ? '*' : nullable && kind === 'r' ? '?' : '');
  const lines = columns.map(
    (each) => `| \`${each.column}\`${mark(each)} | ${short(each.type)} | ${each.comment} |`,
  );
  const head = `## ${kind === 'v' ? 'View' : 'Table'} \`${table}\`\n\n${about}`;
  return `${head}\n\n| column | type | means |\n|---|---|---|\n${lines.join('\n')}`;
}

const short = (type: string) => type.replace('timestamp with time zone', 'timestamptz');

const outside = `## Queries over \`etl\`

Only the role of the job can run these two:

- [as-reported-on.sql](queries/examples/as-reported-on.sql) returns the figures of an account as they were reported at an instant, for example to the digest of that morning.
- [trace.sql](queries/examples/trace.sql) finds the responses that a row came from, with their runs and bodies. The bodies are compressed with zstd: \`psql -At -c "select encode(zstd, 'base64') from etl.response_bodies where …" | base64 -d | zstd -d\`.`;
