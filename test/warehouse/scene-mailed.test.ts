import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDays } from '../../src/model/day.ts';
import { forgetAccount, readForgettable } from '../../src/warehouse/retention/forget-account.ts';
import { atInstant } from '../support/nights.ts';
import { readingsOf } from '../support/readings.ts';
import { linesOf, nights, openScene, type Scene, twinNames } from '../support/twins.ts';

/* The scene of scene.test.ts with its digests: one of each account, and one of both. */

const days = nights.map((night) => addDays(night, -1));
let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
  // Charts take longer than all the rest: digests of two nights are enough.
  for (const night of nights.keys()) await scene.run(night, night > 2);
});
afterAll(() => scene[Symbol.asyncDispose]());

async function lines(query: string): Promise<string[]> {
  return await linesOf(scene.both, query);
}

it.each(twinNames)('the digest of %s says what it would say of it alone', async (name) => {
  const alone = await readingsOf(scene.alone[name], name, days);
  expect(await readingsOf(scene.both, name, days)).toEqual(alone);
});

it('has one message for each recipient of a digest: corrections are in the next one', async () => {
  expect(
    await lines(`select concat_ws(' ', g.name, g.day, g.kind, recipient, d.state) as line
      from etl.deliveries d join etl.digests g using (digest_id) where g.day = '2026-03-13'`),
  ).toEqual([
    'COAST DAILY 2026-03-13 first ana@example.com written',
    'COAST DAILY 2026-03-13 first coast@example.com written',
    'NORTH DAILY 2026-03-13 first ana@example.com written',
    'NORTH DAILY 2026-03-13 first north@example.com written',
    'all 2026-03-13 first ana@example.com written',
  ]);
});

it('forget leaves nothing of that account, and all of the other', async () => {
  const before = await readingsOf(scene.both, 'coast', days);
  await atInstant(scene.both, '2026-03-15T08:00:00Z', async ({ warehouse }) => {
    const [north] = (await readForgettable(warehouse)).filter(({ name }) => name === 'north');
    await forgetAccount(warehouse, north!);
  });
  expect(await readingsOf(scene.both, 'coast', days)).toEqual(before);
  const left = await scene.both.query(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema in ('warehouse', 'etl') and table_type = 'BASE TABLE'`,
  );
  for (const { name } of left)
    expect(await lines(`select t::text as line from ${name} t where t::text ~ 'north'`), name).toEqual([]);
  const unused = await lines(`select sha256::text as line from etl.response_bodies b
    where not exists (select from etl.responses f where f.sha256 = b.sha256)`);
  expect(unused).toEqual([]);
});
