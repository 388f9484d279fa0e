import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type Measured, measure, medians } from '../measure.ts';
import type { Bench } from '../parts/workload.ts';
import { callsheetOf } from '../programs.ts';
import { startStandIn } from '../start-stand-in.ts';
import type { Size } from './fill.ts';

export type LoadedDay = { readonly empty: Measured; readonly full: Measured };

/** The same day of every account into an empty warehouse and into a full one, in turn. */
export async function loadDay(
  { server, runs, say, profile }: Bench,
  full: string,
  size: Size,
): Promise<LoadedDay> {
  const { accounts, campaigns, last } = size;
  const day = Temporal.PlainDate.from(last).add({ days: 1 }).toString();
  const standIn = await startStandIn({ clients: 0, campaigns, latencyMs: 0, beforehand: null });
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
  const load = async (databaseUrl: string) => {
    const place = { serviceUrl: standIn.url, databaseUrl, folder };
    return await measure(
      await callsheetOf(accounts, place, ['backfill', '--from', day, '--to', day], profile),
    );
  };
  const took = { empty: [] as Measured[], full: [] as Measured[] };
  try {
    for (let run = 1; run <= runs; run++) {
      took.empty.push(await server.withDatabase('warehouse', load));
      await forgetDay(full, day);
      took.full.push(await load(full));
      say(
        `a day, ${run}/${runs}: empty ${took.empty.at(-1)!.wallMs.toFixed(0)} ms, full ${took.full.at(-1)!.wallMs.toFixed(0)} ms`,
      );
    }
    await forgetDay(full, day);
    return { empty: medians(took.empty), full: medians(took.full) };
  } finally {
    await rm(folder, { recursive: true, force: true });
    await standIn.stop();
  }
}

/** Leaves a warehouse as if the day had never been loaded. */
async function forgetDay(url: string, day: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      'delete from etl.response_bodies where sha256 in (select sha256 from etl.responses where day = $1)',
      [day],
    );
    for (const table of ['etl.responses', 'etl.windows', 'warehouse.account_days', 'warehouse.campaign_days'])
      await client.query(`delete from ${table} where day = $1`, [day]);
    await client.query('delete from warehouse.campaigns where first_day = $1', [day]);
    await client.query('update warehouse.campaigns set last_day = last_day - 1 where last_day = $1', [day]);
    await client.query('vacuum (analyze) warehouse.campaigns');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}
