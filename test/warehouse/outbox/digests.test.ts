import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import {
  incompleteDigests,
  readDayAttempts,
  uncorrectedDigests,
} from '../../../src/warehouse/outbox/corrections.ts';
import { skipDeliveries } from '../../../src/warehouse/outbox/deliveries.ts';
import {
  forgetDigestStart,
  readDigestStarts,
  recordDigestStart,
  settledDigests,
  skipDigest,
  skipDigests,
  stateOfDigest,
  unskipDigest,
} from '../../../src/warehouse/outbox/digests.ts';
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
  for (const table of ['etl.deliveries', 'etl.digests', 'etl.digest_starts'] as const)
    await warehouse.deleteFrom(table).execute();
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
    const id = await freeze(warehouse, daily, ['ana', 'ben'], { reported, incomplete: true });
    expect(await freeze(warehouse, daily, ['cleo'])).toBeNull();
    const frozen = await warehouse.selectFrom('etl.digests').selectAll().execute();
    expect(frozen).toMatchObject([
      {
        digest_id: id,
        name: 'Both',
        every: 'day',
        day,
        kind: 'first',
        state: 'built',
        incomplete: true,
        subject: 'Both',
        mime: 'mime of Both',
        reported,
      },
    ]);
    const messages = await warehouse
      .selectFrom('etl.deliveries')
      .select(['recipient', 'message_id as messageId', 'state'])
      .orderBy('delivery_id')
      .execute();
    expect(messages).toEqual([
      { recipient: 'ana', messageId: '<first.day.2026-11-18.Both.ana@example.com>', state: 'pending' },
      { recipient: 'ben', messageId: '<first.day.2026-11-18.Both.ben@example.com>', state: 'pending' },
    ]);
  });

  it('skips with it the earlier ones that it names, where nothing was decided of them yet', async () => {
    await freeze(warehouse, onDay('2026-11-16'), ['ana']);
    await freeze(warehouse, daily, ['ana'], { earlierDays: ['2026-11-16', '2026-11-17'] });
    expect(await digests()).toEqual([
      'Both day 2026-11-16 first built',
      'Both day 2026-11-18 first built',
      'Both day 2026-11-17 first skipped',
    ]);
    expect(await freeze(warehouse, onDay('2026-11-17'), ['ana'])).toBeNull();
  });

  it('that is forced is in addition, as often as somebody wants it, and decides nothing of its period', async () => {
    for (const _ of [1, 2]) expect(await freeze(warehouse, daily, [], { kind: 'forced' })).not.toBeNull();
    expect(await stateOfDigest(warehouse, daily)).toBeUndefined();
    expect(await settledDigests(warehouse, day)).toEqual([]);
    expect(await freeze(warehouse, daily, ['ana'])).not.toBeNull();
  });

  it('is skipped once, and not where it was built; that can be taken back', async () => {
    const first = { ...daily, kind: 'first' } as const;
    expect(await skipDigest(warehouse, first, null)).toBe(true);
    expect(await skipDigest(warehouse, first, null)).toBe(false);
    expect(await stateOfDigest(warehouse, daily)).toBe('skipped');
    await unskipDigest(warehouse, { ...daily, every: 'week' });
    await unskipDigest(warehouse, { ...daily, name: 'North' });
    await unskipDigest(warehouse, onDay('2026-11-17'));
    expect(await stateOfDigest(warehouse, daily)).toBe('skipped');
    await unskipDigest(warehouse, daily);
    expect(await stateOfDigest(warehouse, daily)).toBeUndefined();
    await freeze(warehouse, daily, ['ana']);
    expect(await skipDigest(warehouse, first, null)).toBe(false);
    await unskipDigest(warehouse, daily);
    expect(await stateOfDigest(warehouse, daily)).toBe('built');
  });

  it('of many is skipped where it was neither built nor skipped before, and those are counted', async () => {
    await freeze(warehouse, daily, ['ana']);
    const all = [daily, onDay('2026-11-17'), { ...daily, every: 'week' } as const, { ...daily, name: 'A' }];
    expect(await skipDigests(warehouse, all, null)).toBe(3);
    expect(await skipDigests(warehouse, all, null)).toBe(0);
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
    expect(await settledDigests(warehouse, '2026-11-17')).toEqual([onDay('2026-11-17'), daily]);
  });
});

describe('where a digest begins', () => {
  it('is recorded once for each name and period, until it is gone from the settings', async () => {
    const start = { name: 'Both', every: 'day', dueFrom: day } as const;
    await recordDigestStart(warehouse, start);
    await recordDigestStart(warehouse, { ...start, dueFrom: null });
    await recordDigestStart(warehouse, { ...start, every: 'week', dueFrom: null });
    expect(await readDigestStarts(warehouse)).toEqual([start, { ...start, every: 'week', dueFrom: null }]);
    await forgetDigestStart(warehouse, start);
    expect(await readDigestStarts(warehouse)).toEqual([{ ...start, every: 'week', dueFrom: null }]);
  });
});

describe('a digest that may be corrected', () => {
  const loaded = accountTotals({ account: 'north', label: 'North' });
  const failed = accountTotals({ account: 'coast', label: 'Coast', state: 'failed' });
  const days = async (since: string) => (await uncorrectedDigests(warehouse, since)).map(({ day }) => day);

  it('is a first one of a day that was built, from the given day on, that day included', async () => {
    await freeze(warehouse, onDay('2026-11-16'), ['ana']);
    await freeze(warehouse, daily, ['ana']);
    await freeze(warehouse, onDay('2026-11-17'), ['ana']);
    await freeze(warehouse, { ...daily, every: 'week' }, ['ana']);
    await freeze(warehouse, onDay('2026-11-19'), ['ana'], { kind: 'forced' });
    await skipDigest(warehouse, { ...onDay('2026-11-20'), kind: 'first' }, null);
    expect(await days('2026-11-17')).toEqual(['2026-11-17', '2026-11-18']);
  });

  it('is none that was corrected, or whose correction was skipped', async () => {
    for (const each of ['2026-11-16', '2026-11-17', '2026-11-18'])
      await freeze(warehouse, onDay(each), ['ana']);
    await freeze(warehouse, onDay('2026-11-16'), ['ana'], { kind: 'corrected' });
    await skipDigest(warehouse, { ...onDay('2026-11-17'), kind: 'corrected' }, null);
    expect(await days('2026-11-01')).toEqual(['2026-11-18']);
  });

  it('is one though another digest of that day, or the week that ends on it, was corrected', async () => {
    await freeze(warehouse, daily, ['ana']);
    await freeze(warehouse, { ...daily, name: 'North' }, ['ana'], { kind: 'corrected' });
    await freeze(warehouse, { ...daily, every: 'week' }, ['ana'], { kind: 'corrected' });
    expect(await days(day)).toEqual([day]);
  });

  it('is none whose deliveries were all skipped', async () => {
    await freeze(warehouse, daily, ['ana']);
    await freeze(warehouse, onDay('2026-11-17'), ['ana']);
    await skipDeliveries(warehouse, daily);
    expect(await days('2026-11-01')).toEqual(['2026-11-17']);
  });

  it('names the accounts that it lacked where it went out incomplete', async () => {
    await freeze(warehouse, daily, ['ana'], { incomplete: true, reported: [loaded, failed] });
    await freeze(warehouse, onDay('2026-11-17'), ['ana'], { reported: [loaded] });
    expect(await incompleteDigests(warehouse, '2026-11-01')).toEqual([
      { name: 'Both', day, reported: [loaded, failed], lacking: ['Coast'] },
    ]);
  });

  it('is held against the attempts of the days from the given one on, that day included', async () => {
    const { account_id: id } = await warehouse
      .insertInto('warehouse.accounts')
      .values({ name: 'north', label: 'North', time_zone: 'UTC' })
      .returning('account_id')
      .executeTakeFirstOrThrow();
    for (const [each, attempts] of [
      ['2026-11-16', '1'],
      ['2026-11-17', '2'],
      ['2026-11-18', null],
    ] as const)
      await warehouse
        .insertInto('warehouse.account_days')
        .values({
          account_id: id,
          day: each,
          campaigns: 1,
          attempts,
          provisional: false,
          loaded_at: '2026-11-19T00:00:00Z',
        })
        .execute();
    expect(await readDayAttempts(warehouse, '2026-11-17')).toEqual([
      { account: 'north', day: '2026-11-17', attempts: '2' },
      { account: 'north', day: '2026-11-18', attempts: null },
    ]);
  });
});
