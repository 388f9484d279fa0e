import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DigestKind, MailedPeriod } from '../../../src/model/digest.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { skipDeliveries } from '../../../src/warehouse/outbox/deliveries.ts';
import {
  detachDigest,
  skipDigest,
  skipDigests,
  stateOfDigest,
  unskipDigest,
} from '../../../src/warehouse/outbox/digests.ts';
import { readPeriods } from '../../../src/warehouse/outbox/periods.ts';
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

/** The periods of which something is so, as short lines. */
const periods = async (isSo: (period: MailedPeriod) => unknown, since = '2026-11-01') =>
  (await readPeriods(warehouse, since))
    .filter(isSo)
    .map(({ name, every, day }) => `${name} ${every === 'day' ? '' : `${every} `}${day.slice(8)}`);
const isCorrectable = ({ correctable }: MailedPeriod) => correctable !== null;
const isUntold = ({ state, isTold }: MailedPeriod) => state === 'built' && !isTold;

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
    // All that it tells is of one instant: what comes after it is news for the next.
    const instants = await warehouse
      .selectFrom('etl.digests')
      .select('built_at')
      .distinct()
      .where('day', '<>', '2026-11-16')
      .execute();
    expect(instants).toHaveLength(1);
    const states = async (...days: string[]) =>
      await Promise.all(days.map(async (day) => (await stateOfDigest(warehouse, onDay(day)))?.state));
    const all = ['2026-11-16', '2026-11-17', '2026-11-18'];
    expect(await states(...all)).toEqual(['sent with another', 'sent with another', 'built']);
    // Incomplete, and to be sent to somebody: it is corrected once it is whole. Nobody got the correction yet.
    expect(await periods(isCorrectable)).toEqual(['Both 16', 'Both 17']);
    await skipDeliveries(warehouse, daily);
    expect(await periods(isCorrectable)).toEqual([]);
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
    expect(await periods(isUntold)).toEqual(['Both 16', 'Both 17', 'North 17']);
    const supersedes = ['2026-11-16', '2026-11-17'].map((day) => ({ ...onDay(day), kind: 'first' }) as const);
    await freeze(warehouse, daily, ['ana'], { supersedes, earlier: [{ ...earlier, day: '2026-11-17' }] });
    expect(await digests()).toEqual([
      'North day 2026-11-17 first built',
      'Both day 2026-11-18 first built',
      'Both day 2026-11-17 first built',
    ]);
    await warehouse.updateTable('etl.deliveries').set({ state: 'unknown' }).execute();
    expect(await periods(isUntold)).toEqual([]);
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

  it('is read from the given day on, that day included, and so is the first one', async () => {
    for (const each of ['2026-11-15', '2026-11-16', '2026-11-17'])
      await freeze(warehouse, onDay(each), ['ana']);
    await freeze(warehouse, onDay('2026-11-17'), ['ana'], { kind: 'corrected' });
    await skipDigest(warehouse, { ...daily, kind: 'first' }, null);
    expect(await periods(() => true, '2026-11-17')).toEqual(['Both 15', 'Both 17', 'Both 18']);
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
  expect(await periods(({ isStart }) => isStart)).toEqual(['Both 18', 'Both week 18', 'North 18']);
});

describe('a digest that may be corrected', () => {
  const loaded = accountTotals({ account: 'north', label: 'North' });
  const failed = accountTotals({ account: 'coast', label: 'Coast', state: 'missing' });
  const incomplete = { incomplete: true };
  it('is a first one that was built incomplete, however long ago', async () => {
    await freeze(warehouse, onDay('2026-11-16'), ['ana'], incomplete);
    await freeze(warehouse, daily, ['ana'], incomplete);
    await freeze(warehouse, { ...daily, every: 'week' }, ['ana'], incomplete);
    await freeze(warehouse, onDay('2026-11-19'), ['ana']);
    await skipDigest(warehouse, { ...onDay('2026-11-20'), kind: 'first' }, null);
    expect(await periods(isCorrectable, '2027-11-17')).toEqual(['Both 16', 'Both 18', 'Both week 18']);
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
    expect(await periods(isCorrectable)).toEqual(['Both 17', 'Both 18']);
    await skipDigests(warehouse, [daily], 'corrected', null);
    expect(await periods(isCorrectable)).toEqual(['Both 17']);
  });

  it('is none that was corrected, or whose correction was skipped', async () => {
    for (const each of ['2026-11-16', '2026-11-17', '2026-11-18'])
      await freeze(warehouse, onDay(each), ['ana'], incomplete);
    await freeze(warehouse, onDay('2026-11-16'), ['ana'], { kind: 'corrected' });
    await warehouse.updateTable('etl.deliveries').set({ state: 'sent' }).execute();
    await skipDigest(warehouse, { ...onDay('2026-11-17'), kind: 'corrected' }, null);
    expect(await periods(isCorrectable)).toEqual(['Both 18']);
  });

  it('is one though another digest of that day, or the week that ends on it, was corrected', async () => {
    await freeze(warehouse, daily, ['ana'], incomplete);
    await freeze(warehouse, { ...daily, name: 'North' }, ['ana'], { kind: 'corrected' });
    await freeze(warehouse, { ...daily, every: 'week' }, ['ana'], { kind: 'corrected' });
    expect(await periods(isCorrectable)).toEqual(['Both 18']);
  });

  it('is none whose deliveries were all skipped', async () => {
    await freeze(warehouse, daily, ['ana'], incomplete);
    await freeze(warehouse, onDay('2026-11-17'), ['ana'], incomplete);
    await skipDeliveries(warehouse, daily);
    expect(await periods(isCorrectable)).toEqual(['Both 17']);
  });

  it('has the totals that it reported, and is confirmed once each day that its accounts expected is', async () => {
    await freeze(warehouse, daily, ['ana'], { incomplete: true, reported: [loaded, failed] });
    await freeze(warehouse, { ...daily, day: '2026-11-22', every: 'week' }, ['ana'], {
      incomplete: true,
      reported: [loaded],
    });
    const correctable = async (every: string) =>
      (await readPeriods(warehouse, day)).find((period) => period.every === every)!.correctable;
    expect(await correctable('day')).toMatchObject({ reported: [loaded, failed], isWaiting: false });
    const run = async (query: string) => await sql.raw(query).execute(warehouse);
    const isConfirmed = async (every: string) => (await correctable(every))!.isConfirmed;
    await run(`insert into warehouse.accounts (account_id, name, label, time_zone, first_expected_day)
      overriding system value values (1, 'north', 'n', 'UTC', '2026-11-18'), (2, 'coast', 'c', 'UTC', null)`);
    expect(await isConfirmed('day')).toBe(false);
    await run(
      `insert into etl.windows (account_id, day, state) select a, '${day}', 'loaded' from unnest(array[1, 2]) a`,
    );
    expect(await isConfirmed('day')).toBe(true);
    expect(await isConfirmed('week')).toBe(false);
    await run(
      `insert into etl.windows (account_id, day, state) select 1, '${day}'::date + n, 'loaded' from generate_series(1, 4) n`,
    );
    // Days before the first of an account aren't expected.
    expect(await isConfirmed('week')).toBe(true);
    await run(`update etl.windows set state = 'provisional' where account_id = 1 and day = '2026-11-21'`);
    expect(await isConfirmed('week')).toBe(false);
    await run('delete from etl.windows; delete from warehouse.accounts');
  });
});
