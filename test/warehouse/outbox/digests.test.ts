import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DigestKind } from '../../../src/model/digest.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { incompleteDigests } from '../../../src/warehouse/outbox/corrections.ts';
import { skipDeliveries } from '../../../src/warehouse/outbox/deliveries.ts';
import {
  detachDigest,
  readDigestStarts,
  settledDigests,
  skipDigest,
  skipDigests,
  stateOfDigest,
  unskipDigest,
  untoldDigests,
} from '../../../src/warehouse/outbox/digests.ts';
import { reportedTotals } from '../../../src/warehouse/outbox/reported.ts';
import { accountTotals } from '../../digest/figures.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { freeze } from './outbox.ts';

let database: TestDatabase;
let warehouse: Warehouse;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 2);
});
beforeEach(async () => {
  for (const table of ['etl.deliveries', 'etl.digests'] as const) await warehouse.deleteFrom(table).execute();
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const day = '2026-11-18';
const daily = { name: 'Both', every: 'day', day } as const;
const onDay = (day: string) => ({ ...daily, day });

async function digests() {
  const rows = await warehouse
    .selectFrom('etl.digests')
    .select(['name', 'every', 'day', 'kind', 'state'])
    .orderBy('digest_id')
    .execute();
  return rows.map(({ name, every, day, kind, state }) => `${name} ${every} ${day} ${kind} ${state}`);
}

describe('a digest', () => {
  it('is frozen once, with all that is sent and reported of it', async () => {
    const reported = [accountTotals({ account: 'north' })];
    expect(await freeze(warehouse, daily, ['ana', 'ben'], { reported, incomplete: true })).toBe(true);
    expect(await freeze(warehouse, daily, ['cleo'])).toBe(false);
    const frozen = await warehouse.selectFrom('etl.digests').selectAll().execute();
    expect(frozen).toMatchObject([
      {
        name: 'Both',
        every: 'day',
        day,
        kind: 'first',
        state: 'built',
        incomplete: true,
        subject: 'Both',
        mime: 'mime of Both',
      },
    ]);
    expect(reportedTotals(frozen[0]!.reported!)).toEqual(reported);
    const messages = await warehouse
      .selectFrom('etl.deliveries')
      .select(['recipient', 'state'])
      .orderBy('delivery_id')
      .execute();
    expect(messages).toEqual([
      { recipient: 'ana', state: 'pending' },
      { recipient: 'ben', state: 'pending' },
    ]);
  });

  it('records the earlier periods and corrections in its message as sent with it, unless they were built before', async () => {
    const period = (day: string, kind: DigestKind = 'first') => ({
      day,
      kind,
      incomplete: kind === 'first',
      isProvisional: false,
      reported: [],
    });
    await freeze(warehouse, onDay('2026-11-16'), ['ana'], { incomplete: true });
    const earlier = [period('2026-11-16', 'corrected'), period('2026-11-16'), period('2026-11-17')];
    await freeze(warehouse, daily, ['ana', 'ben'], { earlier });
    expect(await digests()).toEqual([
      'Both day 2026-11-16 first built',
      'Both day 2026-11-18 first built',
      'Both day 2026-11-16 corrected built',
      'Both day 2026-11-17 first built',
    ]);
    expect(await freeze(warehouse, onDay('2026-11-17'), ['ana'])).toBe(false);
    const states = async (...days: string[]) =>
      await Promise.all(days.map(async (day) => (await stateOfDigest(warehouse, onDay(day)))?.state));
    const all = ['2026-11-16', '2026-11-17', '2026-11-18'];
    expect(await states(...all)).toEqual(['sent with another', 'sent with another', 'built']);
    // Incomplete, and to be sent to somebody: it is corrected once it is whole. Nobody got the correction yet.
    expect((await incompleteDigests(warehouse, all[0]!)).map(({ day }) => day)).toEqual(all.slice(0, 2));
    await skipDeliveries(warehouse, daily);
    expect(await incompleteDigests(warehouse, all[0]!)).toEqual([]);
    for (const day of all) await detachDigest(warehouse, onDay(day));
    await detachDigest(warehouse, { ...daily, every: 'week' });
    expect(await states(...all)).toEqual(['built', undefined, 'built']);
  });

  it('that nobody got is deleted by the one that tells its content, with what was to be sent with it', async () => {
    const earlier = {
      day: '2026-11-16',
      kind: 'first',
      incomplete: false,
      isProvisional: false,
      reported: [],
    } as const;
    await freeze(warehouse, onDay('2026-11-17'), ['ana'], { earlier: [earlier] });
    await freeze(warehouse, { ...onDay('2026-11-17'), name: 'North' }, ['ana']);
    await warehouse.updateTable('etl.deliveries').set({ state: 'failed' }).execute();
    const untold = await untoldDigests(warehouse, '2026-11-01');
    expect(untold.map(({ name, day }) => `${name} ${day}`).sort()).toEqual([
      'Both 2026-11-16',
      'Both 2026-11-17',
      'North 2026-11-17',
    ]);
    const supersedes = untold.filter(({ name }) => name === 'Both');
    await freeze(warehouse, daily, ['ana'], { supersedes, earlier: [{ ...earlier, day: '2026-11-17' }] });
    expect(await digests()).toEqual([
      'North day 2026-11-17 first built',
      'Both day 2026-11-18 first built',
      'Both day 2026-11-17 first built',
    ]);
    await warehouse.updateTable('etl.deliveries').set({ state: 'unknown' }).execute();
    expect(await untoldDigests(warehouse, '2026-11-01')).toEqual([]);
    // Somebody got it meanwhile: it stays.
    await freeze(warehouse, onDay('2026-11-19'), ['ana'], { supersedes });
    expect(await digests()).toHaveLength(4);
  });

  it('is skipped once, and not where it was built; that can be taken back', async () => {
    const first = { ...daily, kind: 'first' } as const;
    expect(await skipDigest(warehouse, first, null)).toBe(true);
    expect(await skipDigest(warehouse, first, null)).toBe(false);
    expect(await stateOfDigest(warehouse, daily)).toMatchObject({ state: 'skipped' });
    await unskipDigest(warehouse, { ...daily, every: 'week' });
    await unskipDigest(warehouse, { ...daily, name: 'North' });
    await unskipDigest(warehouse, onDay('2026-11-17'));
    expect(await stateOfDigest(warehouse, daily)).toMatchObject({ state: 'skipped' });
    await unskipDigest(warehouse, daily);
    expect(await stateOfDigest(warehouse, daily)).toBeUndefined();
    await freeze(warehouse, daily, ['ana']);
    expect(await skipDigest(warehouse, first, null)).toBe(false);
    await unskipDigest(warehouse, daily);
    expect(await stateOfDigest(warehouse, daily)).toMatchObject({ state: 'built' });
  });

  it('of many is skipped where it was neither built nor skipped before, and those are counted', async () => {
    await freeze(warehouse, daily, ['ana']);
    const all = [daily, onDay('2026-11-17'), { ...daily, every: 'week' } as const, { ...daily, name: 'A' }];
    expect(await skipDigests(warehouse, all, 'first', null)).toBe(3);
    expect(await skipDigests(warehouse, all, 'first', null)).toBe(0);
    expect(await digests()).toEqual([
      'Both day 2026-11-18 first built',
      'A day 2026-11-18 first skipped',
      'Both day 2026-11-17 first skipped',
      'Both week 2026-11-18 first skipped',
    ]);
  });

  it('is settled once it was built or skipped, from the given day on, that day included', async () => {
    await freeze(warehouse, onDay('2026-11-16'), ['ana']);
    await freeze(warehouse, onDay('2026-11-17'), ['ana']);
    await freeze(warehouse, onDay('2026-11-17'), ['ana'], { kind: 'corrected' });
    await skipDigest(warehouse, { ...daily, kind: 'first' }, null);
    expect(await settledDigests(warehouse, '2026-11-17')).toEqual([
      { ...onDay('2026-11-17'), recipients: [] },
      { ...daily, recipients: [] },
    ]);
  });
});

it('what was decided of a digest is told of its period alone', async () => {
  await skipDigests(warehouse, [daily], 'first', null);
  expect(await stateOfDigest(warehouse, daily)).toMatchObject({ state: 'skipped' });
  for (const other of [
    { ...daily, name: 'Others' },
    { ...daily, every: 'week' as const },
    { ...daily, day: '2020-01-01' },
  ])
    expect(await stateOfDigest(warehouse, other)).toBeUndefined();
});

it('a digest begins with its first row, whatever is built or skipped of earlier periods later', async () => {
  await skipDigests(
    warehouse,
    [daily, { ...daily, name: 'North' }, { ...daily, every: 'week' }],
    'first',
    null,
  );
  await freeze(warehouse, onDay('2026-11-16'), ['ana']);
  await skipDigest(warehouse, { ...onDay('2026-11-17'), kind: 'first' }, null);
  await freeze(warehouse, onDay('2026-11-19'), ['ana']);
  await freeze(warehouse, { ...daily, name: 'Coast' }, ['ana'], { kind: 'corrected' });
  expect(await readDigestStarts(warehouse)).toEqual([
    daily,
    { ...daily, every: 'week' },
    { ...daily, name: 'North' },
  ]);
});

describe('a digest that may be corrected', () => {
  const loaded = accountTotals({ account: 'north', label: 'North' });
  const failed = accountTotals({ account: 'coast', label: 'Coast', state: 'missing' });
  const incomplete = { incomplete: true };
  const days = async (since: string) =>
    (await incompleteDigests(warehouse, since)).map(({ every, day }) =>
      every === 'day' ? day : `${every} ${day}`,
    );

  it('is a first one that was built incomplete, from the given day on, that day included', async () => {
    await freeze(warehouse, onDay('2026-11-16'), ['ana'], incomplete);
    await freeze(warehouse, daily, ['ana'], incomplete);
    await freeze(warehouse, onDay('2026-11-17'), ['ana'], incomplete);
    await freeze(warehouse, { ...daily, every: 'week' }, ['ana'], incomplete);
    await freeze(warehouse, onDay('2026-11-19'), ['ana']);
    await skipDigest(warehouse, { ...onDay('2026-11-20'), kind: 'first' }, null);
    expect(await days('2026-11-17')).toEqual(['2026-11-17', '2026-11-18', 'week 2026-11-18']);
  });

  it('is also one that was built of provisional figures', async () => {
    await freeze(warehouse, daily, ['ana'], { isProvisional: true, reported: [loaded] });
    await freeze(warehouse, onDay('2026-11-19'), ['ana'], {
      earlier: [
        {
          day: '2026-11-17',
          kind: 'first',
          incomplete: false,
          isProvisional: true,
          reported: [],
        },
      ],
    });
    expect(await days('2026-11-01')).toEqual(['2026-11-17', '2026-11-18']);
    await skipDigests(warehouse, [daily], 'corrected', null);
    expect(await days('2026-11-01')).toEqual(['2026-11-17']);
  });

  it('is none that was corrected, or whose correction was skipped', async () => {
    for (const each of ['2026-11-16', '2026-11-17', '2026-11-18'])
      await freeze(warehouse, onDay(each), ['ana'], incomplete);
    await freeze(warehouse, onDay('2026-11-16'), ['ana'], { kind: 'corrected' });
    await warehouse.updateTable('etl.deliveries').set({ state: 'sent' }).execute();
    await skipDigest(warehouse, { ...onDay('2026-11-17'), kind: 'corrected' }, null);
    expect(await days('2026-11-01')).toEqual(['2026-11-18']);
  });

  it('is one though another digest of that day, or the week that ends on it, was corrected', async () => {
    await freeze(warehouse, daily, ['ana'], incomplete);
    await freeze(warehouse, { ...daily, name: 'North' }, ['ana'], { kind: 'corrected' });
    await freeze(warehouse, { ...daily, every: 'week' }, ['ana'], { kind: 'corrected' });
    expect(await days(day)).toEqual([day]);
  });

  it('is none whose deliveries were all skipped', async () => {
    await freeze(warehouse, daily, ['ana'], incomplete);
    await freeze(warehouse, onDay('2026-11-17'), ['ana'], incomplete);
    await skipDeliveries(warehouse, daily);
    expect(await days('2026-11-01')).toEqual(['2026-11-17']);
  });

  it('has the totals that it reported where it went out incomplete', async () => {
    await freeze(warehouse, daily, ['ana'], { incomplete: true, reported: [loaded, failed] });
    await freeze(warehouse, onDay('2026-11-17'), ['ana'], { reported: [loaded] });
    expect(await incompleteDigests(warehouse, '2026-11-01')).toEqual([
      { ...daily, reported: [loaded, failed], isTold: false },
    ]);
  });
});
