import { text } from 'node:stream/consumers';
import pg from 'pg';
import { csvOf, readFigures } from '../../src/job/digests/compose-digest.ts';
import type { DigestDefinition } from '../../src/model/digest.ts';
import { openWarehouse } from '../../src/warehouse/db/database.ts';
import { inSnapshot } from '../../src/warehouse/db/transaction.ts';
import { queries, readQuery } from '../../test/support/data-dictionary.ts';
import { median } from '../measure.ts';
import type { Line } from '../report.ts';
import type { Size } from './fill.ts';

const times = 5;

export type Answers = { readonly lines: readonly Line[]; readonly plans: readonly string[] };

/** The six queries of the data dictionary, warm, by the role of BI tools; with their plans if asked. */
export async function askQueries(url: string, size: Size, explain: boolean): Promise<Answers> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set role callsheet_reader');
    const lines: Line[] = [];
    const plans: string[] = [];
    for (const name of queries) {
      const text = askedOf(name, size);
      const [queryMs, { rows }] = await warm(() => client.query(text));
      lines.push({ what: name, figures: { queryMs, rows: rows.length } });
      if (explain) plans.push(`${name}\n${await planOf(client, text)}`);
    }
    return { lines, plans };
  } finally {
    await client.end();
  }
}

/** What a digest of every account says of the last day, and the rows of its CSV: by the job's own functions. */
export async function askDigest(
  url: string,
  { accounts, last }: Size,
): Promise<{ figures: Line; csv: Line }> {
  const warehouse = openWarehouse(url, 1);
  const digest: DigestDefinition = {
    name: 'Campaigns',
    to: ['ana@example.com'],
    accounts: accounts.map(({ name }) => name),
    locale: 'en',
    timeZone: 'UTC',
    extraFields: [],
    lowBalance: 100,
  };
  const occasion = { earlierDays: [], before: null };
  const count = accounts.length;
  try {
    const [figuresMs] = await warm(() =>
      inSnapshot(warehouse, '5min', (snapshot) => readFigures(snapshot, digest, last, occasion)),
    );
    const [csvMs] = await warm(() =>
      inSnapshot(warehouse, '5min', async (snapshot) => await text(await csvOf(snapshot, digest, last))),
    );
    return {
      figures: { what: `figures of a digest of ${count} accounts`, figures: { queryMs: figuresMs } },
      csv: { what: 'beside: its CSV, whole', figures: { queryMs: csvMs } },
    };
  } finally {
    await warehouse.destroy();
  }
}

async function warm<T>(ask: () => Promise<T>): Promise<[number, T]> {
  let answer = await ask();
  const took: number[] = [];
  for (let time = 0; time < times; time++) {
    const began = performance.now();
    answer = await ask();
    took.push(performance.now() - began);
  }
  return [median(took), answer];
}

async function planOf(client: pg.Client, text: string): Promise<string> {
  const { rows } = await client.query(`explain (analyze, buffers, costs off) ${text}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** The text of a query, asked about an account in the middle and the last whole month or so. */
function askedOf(name: (typeof queries)[number], { accounts, last }: Size): string {
  const account = accounts[accounts.length >> 1]!;
  const month = Temporal.PlainDate.from(last).subtract({ days: 27 }).with({ day: 1 });
  const asked: Record<(typeof queries)[number], Record<string, string>> = {
    'complete-through': {},
    'clients-month': { client: `'Client 1-${account.client!.id - 1_000_000}'`, month: `date '${month}'` },
    'weekday-profile': { account: `'${account.name}'`, last_day: `date '${last}'` },
    'restatements-of-a-month': { month: `date '${month}'` },
    'as-reported-on': {
      account: `'${account.name}'`,
      first_day: `date '${month}'`,
      last_day: `date '${month.add({ days: 14 })}'`,
      reported_at: `timestamptz '${month.add({ days: 15 })} 07:00 UTC'`,
    },
    'low-balances': {},
  };
  return Object.entries(asked[name]).reduce((text, [parameter, value]) => {
    const literal = `(?:date |timestamptz )?(?:'[^']*'|\\d+)`;
    const changed = text.replace(new RegExp(`${literal} as ${parameter}\\b`), `${value} as ${parameter}`);
    if (changed === text) throw new Error(`${name}.sql asks nothing called ${parameter}`);
    return changed;
  }, readQuery(name));
}
