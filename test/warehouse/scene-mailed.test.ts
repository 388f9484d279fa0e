import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDays } from '../../src/model/day.ts';
import { forgetAccount, readForgettable } from '../../src/warehouse/retention/forget-account.ts';
import { atInstant } from '../support/nights.ts';
import { readingsOf } from '../support/readings.ts';
import { linesOf, nights, openScene, type Scene, twinNames } from '../support/twins.ts';

/*
 * The scene of scene.test.ts with five weeks before it and its digests: one of each account, and one of both. North is
 * forgotten then.
 */

const days = nights.map((night) => addDays(night, -1));
const reported = (
  name: string,
) => `select distinct concat_ws(' ', p.last_day, p.account, p.state, p.attempts, p.connects,
    p.connect_rate_connects, p.connect_rate_attempts) as line
  from warehouse.mailed_periods p where p.digest ${name}`;
const deliveries = `select concat_ws(' ', g.name, g.day, g.correction, recipient, d.state) as line
  from etl.deliveries d join etl.mails g using (mail_id) where g.day = '2026-03-13'`;

let scene: Scene;
let alone: Record<(typeof twinNames)[number], string[]>;
let before: typeof alone;
let mailed: { readonly all: string[]; readonly each: string[]; readonly deliveries: string[] };

async function lines(query: string): Promise<string[]> {
  return await linesOf(scene.both, query);
}

beforeAll(async () => {
  scene = await openScene();
  await scene.backfill();
  // Charts take longer than all the rest: digests of two nights are enough.
  for (const night of nights.keys()) await scene.run(night, night > 2);
  const read = (name: (typeof twinNames)[number], world: Scene['both']) => readingsOf(world, name, days);
  alone = { north: await read('north', scene.alone.north), coast: await read('coast', scene.alone.coast) };
  before = { north: await read('north', scene.both), coast: await read('coast', scene.both) };
  mailed = {
    all: await lines(reported(`= 'all'`)),
    each: await lines(reported(`<> 'all'`)),
    deliveries: await lines(deliveries),
  };
  await atInstant(scene.both, '2026-03-15T08:00:00Z', async ({ warehouse }) => {
    const [north] = (await readForgettable(warehouse)).filter(({ name }) => name === 'north');
    await forgetAccount(warehouse, north!);
  });
});
afterAll(() => scene[Symbol.asyncDispose]());

it.each(twinNames)('the digest of %s, and all else, says what it would say of it alone', (name) => {
  expect(before[name]).toEqual(alone[name]);
});

it('the digest of both reports of each account what its own does', () => {
  expect(mailed.all.length).toBeGreaterThan(2);
  expect(mailed.all).toEqual(mailed.each);
});

it('forget leaves nothing of that account, and all of the other', async () => {
  expect(await readingsOf(scene.both, 'coast', days)).toEqual(before.coast);
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
