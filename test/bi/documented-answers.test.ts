import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatTable } from '../../src/cli/table.ts';
import { daysBetween } from '../../src/model/day.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

/* The queries of docs/warehouse.md, and the answers below them: those of the simulator's accounts in March 2026. */

const page = readFileSync('docs/warehouse.md', 'utf8');
const section = page.split('## Metabase, pandas, dbt')[1]!.split(/^## /m)[0]!;
const documented = [...section.matchAll(/```sql\n(select[\s\S]*?)```\n\n```\n([\s\S]*?)```/g)].map(
  ([, query, answer]) => [query!.trim(), answer!] as const,
);

let world: World;
let reader: pg.Client;
beforeAll(async () => {
  const dataset = generateDataset();
  let night = '';
  // What the service corrects two nights later.
  world = await openWorld({
    dataset: {
      ...dataset,
      campaigns: (account, from, to) =>
        dataset
          .campaigns(account, from, to)
          .map((each, index) =>
            account === 'coast' && `${from}` === '2026-03-03' && night >= '2026-03-05' && index === 0
              ? { ...each, attempts: each.attempts + 240 }
              : each,
          ),
    },
  });
  await runNight(world, '2026-03-03', {}, { days: daysBetween('2026-02-01', '2026-03-01'), digest: false });
  for (night of ['2026-03-03', '2026-03-04', '2026-03-05']) await runNight(world, night);
  reader = new pg.Client({
    connectionString: world.databaseUrl,
    types: { getTypeParser: () => (text: string) => text },
  });
  await reader.connect();
  await reader.query(`set role callsheet_reader; set search_path = warehouse; set time zone 'UTC'`);
});
afterAll(async () => {
  await reader.end();
  await world.close();
});

it('five queries are documented with their answers', () => {
  expect(documented).toHaveLength(5);
});

it.each(documented)('%s answers as it is documented', async (query, answer) => {
  const { rows, fields } = await reader.query<Record<string, string | null>>(query);
  const names = fields.map(({ name }) => name);
  expect(`${formatTable(rows, names)}\n`).toBe(answer);
});
