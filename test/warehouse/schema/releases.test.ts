import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/job/run/database.ts';
import { migrationHashes } from '../../../src/warehouse/schema/migrate.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { runNight } from '../../support/nights.ts';
import { dumpRelease, type ReleaseDump, restoreRelease } from '../../support/release-dump.ts';
import { openWorld, type World } from '../../support/world.ts';

/** A dump of each release; none before the first tag. `npm run release-dump` adds the one of this version. */
const folder = path.join(import.meta.dirname, 'releases');
const { version } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8'),
) as { version: string };
const dumps = readdirSync(folder).filter((file) => file.endsWith('.json.gz'));

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

async function expectRestored(url: string, dump: ReleaseDump): Promise<void> {
  await restoreRelease(url, dump);
  await migrate(url);
  const now = await dumpRelease(url);
  for (const [table, rows] of Object.entries(dump.tables)) {
    const count = (text: string) => (JSON.parse(text) as unknown[]).length;
    expect.soft({ table, rows: count(now.tables[table]!) }).toEqual({ table, rows: count(rows) });
  }
}

describe('releases', () => {
  it('keep their migrations as they were: new ones are only added after them', async () => {
    const hashes = Object.fromEntries(await migrationHashes());
    const names = Object.keys(hashes).sort();
    for (const file of dumps) {
      const { migrations } = JSON.parse(gunzipSync(readFileSync(path.join(folder, file))).toString());
      expect(hashes, file).toMatchObject(migrations);
      expect(names.slice(0, Object.keys(migrations).length), file).toEqual(Object.keys(migrations).sort());
    }
  });

  it.for(dumps)('%s restores and migrates with every row', async (file) => {
    const fresh = await createDatabase();
    try {
      const dump = JSON.parse(gunzipSync(readFileSync(path.join(folder, file))).toString()) as ReleaseDump;
      await expectRestored(fresh.url, dump);
    } finally {
      await fresh.drop();
    }
  });
});

describe('a dump of this version', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
    await runNight(world, '2026-03-03');
  });
  afterAll(() => world.close());

  it('restores and migrates with every row, and the next night goes on from it', async () => {
    const dump = await dumpRelease(world.databaseUrl);
    await expectRestored(database.url, dump);
    expect((await dumpRelease(database.url)).tables).toEqual(dump.tables);
    const environment = { ...world.environment, DATABASE_URL: database.url };
    const { outcome } = await runNight({ environment }, '2026-03-04');
    expect(outcome).toBe('done');
    if (process.env.npm_lifecycle_event === 'release-dump')
      writeFileSync(path.join(folder, `${version}.json.gz`), gzipSync(JSON.stringify(dump)));
  });
});
