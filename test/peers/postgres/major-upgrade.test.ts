import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../../src/job/run/database.ts';
import { sequencesToRows } from '../../../src/warehouse/failures.ts';
import { callsheet } from '../../support/callsheet.ts';
import { queryAt } from '../../support/database.ts';
import { blocksOf, readDocument } from '../../support/documents.ts';
import { type KeptPostgres, keepPostgres } from '../../support/postgres-keeper.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { openWorld, type World } from '../../support/world.ts';
import { stockPrograms } from './stock.ts';

// From the installed Postgres to the embedded one, with what docs/operations.md says to type.

const chapter = readDocument('docs/operations.md')
  .split('### A new major version of Postgres\n')[1]!
  .split('\n## ')[0]!;
const [copySchema, typeCommands] = blocksOf(chapter, 'sh').map((block) => block.trim());
const [publish, subscribe, countUncopied, isCaughtUp, unsubscribe, toRows] = blocksOf(chapter, 'sql');

let old: KeptPostgres;
let fresh: KeptPostgres;
let world: World;
beforeAll(async () => {
  const folder = await scratchFolder('callsheet-majors-');
  world = await openWorld();
  [old, fresh] = await Promise.all([
    keepPostgres({
      directory: path.join(folder, 'old'),
      binaries: await stockPrograms(),
      settings: { wal_level: 'logical' },
      temporary: true,
    }),
    keepPostgres({ directory: path.join(folder, 'new'), temporary: true }),
  ]);
});
afterAll(async () => {
  await world?.close();
  await Promise.all([old?.stop(), fresh?.stop()]);
});

async function firstValue(server: KeptPostgres, text: string): Promise<unknown> {
  const [row] = await queryAt(server.url, text);
  return row && Object.values(row)[0];
}

const counts = `select jsonb_object_agg(c.oid::regclass,
    (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || c.oid::regclass, false, true, '')))[1]::text)
  from pg_class c where relkind = 'r' and relnamespace in ('warehouse'::regnamespace, 'etl'::regnamespace)`;

it('a warehouse moves to a new major version by logical replication, and the next run goes on', async () => {
  const on = (server: KeptPostgres) => ({ ...world.environment, DATABASE_URL: server.url });
  await migrate(old.url);
  expect(await callsheet(['run'], on(old))).toMatchObject({ code: 0 });

  await promisify(execFile)('sh', ['-c', copySchema!], {
    env: {
      PATH: `${await stockPrograms()}:${process.env.PATH}`,
      DATABASE_URL: old.url,
      NEW_DATABASE_URL: fresh.url,
    },
  });
  await firstValue(old, publish!);
  const { hostname, port, username, password } = new URL(old.url);
  const parts = ['', `${hostname} port=${port}`, 'callsheet', username, password];
  let part = 0;
  const connected = subscribe!.replaceAll('…', () => parts[++part]!);
  await firstValue(fresh, connected);
  await expect.poll(() => firstValue(fresh, countUncopied!)).toBe('0');
  // What is written meanwhile arrives, too: updates need a key of each table.
  expect(await callsheet(['run', '--day', 'yesterday'], on(old))).toMatchObject({ code: 0 });
  await expect.poll(() => firstValue(old, isCaughtUp!)).toBe(true);
  expect(await firstValue(fresh, counts)).toEqual(await firstValue(old, counts));

  const behind = await callsheet(['run'], on(fresh));
  expect(behind.stderr).toContain('the sequence etl.runs_run_id_seq is behind the rows of its table');
  expect(toRows!.replaceAll(/\s+/g, ' ').trim()).toBe(sequencesToRows);
  for (const text of [unsubscribe!, toRows!]) await firstValue(fresh, text);
  for (const line of typeCommands!.split('\n'))
    expect([line, await callsheet(line.split(' ').slice(1), on(fresh))]).toMatchObject([line, { code: 0 }]);
});
