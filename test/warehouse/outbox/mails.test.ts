import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryState } from '../../../src/model/digest.ts';
import type { DigestKey } from '../../../src/model/period.ts';
import { skipDeliveries } from '../../../src/warehouse/outbox/deliveries.ts';
import {
  readPeriodStates,
  recordStarts,
  skipPeriods,
  unskipPeriod,
} from '../../../src/warehouse/outbox/mails.ts';
import {
  readCurrent,
  readDigestStates,
  readMailed,
  readMailedInPart,
  readUnmailed,
  readUpdated,
} from '../../../src/warehouse/outbox/periods.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';
import { freeze, mailedFigures } from './outbox.ts';

const { addAccounts, warehouse } = await openTestWarehouse();
const [north, coast] = (await addAccounts('north', 'coast')) as [number, number];
await sql`update warehouse.accounts set label = upper(name)`.execute(warehouse);

beforeEach(async () => {
  await sql`truncate etl.mails, etl.mailed_periods, etl.deliveries, etl.digest_starts, etl.windows`.execute(
    warehouse,
  );
});

const daily: DigestKey = { name: 'Both', every: 'day', day: '2026-11-18' };
const onDay = (day: string) => ({ ...daily, day });
const deliver = (state: DeliveryState = 'sent') =>
  warehouse.updateTable('etl.deliveries').set({ state }).execute();

async function mails(): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', name, every, number, day, correction) as line from etl.mails order by mail_id
  `.execute(warehouse);
  return rows.map(({ line }) => line);
}

describe('a mail', () => {
  it('is frozen with its deliveries and its figures, once for each number', async () => {
    const mailed = [
      mailedFigures(north),
      mailedFigures(coast, { state: 'incomplete', lackingDays: ['2026-11-18'] }),
    ];
    expect(await freeze(warehouse, daily, ['ana', 'ben'], { mailed })).toBe(true);
    expect(await freeze(warehouse, daily, ['cleo'], { mailed, number: 1 })).toBe(false);
    expect(await mails()).toEqual(['Both day 1 2026-11-18 0']);
    const { rows } = await sql`
      select account, state, missing_days, is_first, attempts, connects, connect_rate_attempts
      from warehouse.mailed_periods order by account desc`.execute(warehouse);
    expect(rows).toEqual([
      {
        account: 'north',
        state: 'whole',
        missing_days: 0,
        is_first: true,
        attempts: '100',
        connects: '60',
        connect_rate_attempts: '100',
      },
      expect.objectContaining({ account: 'coast', state: 'incomplete', missing_days: 1 }),
    ]);
    // All that it says is of one instant: what comes after it is news for the next.
    const { rows: instants } = await sql`
      select distinct p.decided_at = m.built_at as same from etl.mailed_periods p join etl.mails m using (mail_id)`.execute(
      warehouse,
    );
    expect(instants).toEqual([{ same: true }]);
  });

  it('replaces those of its digest that nobody got, and no others', async () => {
    await freeze(warehouse, { ...daily, name: 'North' }, ['ana']);
    await freeze(warehouse, { ...daily, every: 'week' }, ['ana']);
    await freeze(warehouse, daily, ['ana'], { mailed: [mailedFigures(north)] });
    await warehouse.updateTable('etl.deliveries').set({ state: 'failed' }).execute();
    await freeze(warehouse, onDay('2026-11-19'), ['ana', 'ben']);
    expect(await mails()).toEqual([
      'North day 1 2026-11-18 0',
      'Both week 1 2026-11-18 0',
      'Both day 2 2026-11-19 0',
    ]);
    expect(await readMailed(warehouse, [{ ...daily, account: 'north' }], [])).toEqual([
      { mailed: undefined, waiting: undefined },
    ]);
    // One of its two recipients may have it.
    await sql`update etl.deliveries set state = 'unknown' where recipient = 'ben'`.execute(warehouse);
    await freeze(warehouse, onDay('2026-11-20'), ['ana']);
    expect((await mails()).slice(2)).toEqual(['Both day 2 2026-11-19 0', 'Both day 3 2026-11-20 0']);
  });

  it('that another run built meanwhile leaves those that nobody got', async () => {
    await freeze(warehouse, daily, ['ana']);
    expect(await freeze(warehouse, onDay('2026-11-19'), ['ana'], { number: 1 })).toBe(false);
    expect(await mails()).toEqual(['Both day 1 2026-11-18 0']);
  });

  it('that corrects its period says how often that was mailed', async () => {
    for (const isCorrection of [false, true, true]) {
      await freeze(warehouse, daily, ['ana'], { mailed: [mailedFigures(north)], isCorrection });
      await deliver();
    }
    expect(await mails()).toEqual([
      'Both day 1 2026-11-18 0',
      'Both day 2 2026-11-18 1',
      'Both day 3 2026-11-18 2',
    ]);
  });
});

describe('what was mailed', () => {
  const mailed = async (account = 'north', key = daily) =>
    (await readMailed(warehouse, [{ ...key, account }], []))[0]!.mailed;

  it.each([
    ['pending', false],
    ['failed', false],
    ['given_up', false],
    ['sent', true],
    ['written', true],
    ['unknown', true],
  ] as const)('counts once a delivery is sent, written or unknown: %s', async (state, counts) => {
    await freeze(warehouse, daily, ['ana', 'ben'], { mailed: [mailedFigures(north)] });
    await sql`update etl.deliveries set state = ${state} where recipient = 'ana'`.execute(warehouse);
    expect((await mailed()) !== undefined).toBe(counts);
    const [{ waitingMailId, mailedAt }] = (await readDigestStates(warehouse, [daily])) as [
      Awaited<ReturnType<typeof readDigestStates>>[number],
    ];
    expect([waitingMailId === null, mailedAt !== null]).toEqual([counts, counts]);
    const ids = waitingMailId === null ? [] : [waitingMailId];
    const [{ waiting }] = (await readMailed(warehouse, [{ ...daily, account: 'north' }], ids)) as [
      Awaited<ReturnType<typeof readMailed>>[number],
    ];
    expect(waiting === undefined).toBe(counts);
  });

  it('counts if its delivery was skipped by hand, and not without any delivery', async () => {
    await freeze(warehouse, daily, [], { mailed: [mailedFigures(north)] });
    expect(await mailed()).toBeUndefined();
    await freeze(warehouse, daily, ['ana'], { mailed: [mailedFigures(north)] });
    await skipDeliveries(warehouse, daily);
    expect(await mailed()).toMatchObject({ account: 'north', label: 'NORTH', attempts: 100n, content: 'a' });
  });

  it('is what the newest delivered mail had, of that account and period alone', async () => {
    await freeze(warehouse, daily, ['ana'], { mailed: [mailedFigures(north), mailedFigures(coast)] });
    await deliver();
    await freeze(warehouse, onDay('2026-11-19'), ['ana'], {
      mailed: [mailedFigures(north, { content: 'b' })],
    });
    expect((await mailed())?.content).toBe('a');
    await deliver();
    expect((await mailed())?.content).toBe('b');
    expect((await mailed('coast'))?.content).toBe('a');
    expect(await mailed('north', { ...daily, every: 'week' })).toBeUndefined();
    expect(await mailed('north', { ...daily, name: 'North' })).toBeUndefined();
    expect(await mailed('north', onDay('2026-11-19'))).toBeUndefined();
  });

  it('has the contents that were skipped since, of the account or of all', async () => {
    const skip = (accountId: number | null, content: string | null) =>
      skipPeriods(warehouse, [{ ...daily, accountId, content }]);
    await skip(north, 'before');
    await freeze(warehouse, daily, ['ana'], { mailed: [mailedFigures(north)] });
    await deliver();
    expect((await mailed())?.skipped).toEqual([]);
    await skip(coast, 'c');
    await skip(north, 'b');
    await skip(north, 'd');
    expect((await mailed())?.skipped).toEqual(['d']);
    await skip(null, null);
    expect((await mailed())?.skipped.toSorted()).toEqual(['d', null]);
    await unskipPeriod(warehouse, daily);
    expect((await mailed())?.skipped).toEqual([]);
  });

  it('is found by its period where it lacked something', async () => {
    const part = (state: 'provisional' | 'whole', day: string) => mailedFigures(north, { state, day });
    await freeze(warehouse, daily, ['ana'], {
      mailed: [part('whole', '2026-11-18'), part('provisional', '2026-11-17')],
    });
    const other = { name: 'Other', every: 'day' } as const;
    expect(await readMailedInPart(warehouse, [other, daily])).toEqual([{ place: 1, day: '2026-11-17' }]);
  });
});

describe('periods', () => {
  it('within reach are unmailed until they are delivered or skipped', async () => {
    const reach = [
      { ...daily, ends: ['2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18'] },
      { ...daily, every: 'week' as const, ends: ['2026-11-01', '2026-11-08', '2026-11-15'] },
      { ...daily, every: 'month' as const, ends: ['2026-09-30', '2026-10-31'] },
    ];
    const unmailed = async () =>
      (await readUnmailed(warehouse, reach)).map(({ place, day }) => `${place} ${day.slice(5)}`);
    await freeze(warehouse, onDay('2026-11-17'), ['ana'], {
      mailed: ['2026-11-15', '2026-11-17'].map((day) => mailedFigures(north, { day })),
    });
    const all = [
      '0 11-15',
      '0 11-16',
      '0 11-17',
      '0 11-18',
      '1 11-01',
      '1 11-08',
      '1 11-15',
      '2 09-30',
      '2 10-31',
    ];
    expect(await unmailed()).toEqual(all);
    await deliver();
    await skipPeriods(warehouse, [
      { ...daily, every: 'week', day: '2026-11-08', accountId: null, content: null },
    ]);
    const left = (line: string) => !['0 11-15', '0 11-17', '1 11-08'].includes(line);
    expect(await unmailed()).toEqual(all.filter(left));
  });

  it('are updated if a day of theirs was after an instant', async () => {
    for (const [day, ago] of [
      ['2026-11-10', '23 hours'],
      ['2026-11-11', '25 hours'],
      ['2026-10-02', '1 hour'],
    ])
      await sql`insert into etl.windows (account_id, day, state, updated_at)
        values (${north}, ${day}, 'loaded', now() - ${ago}::interval)`.execute(warehouse);
    const updated = await readUpdated(warehouse, Temporal.Now.instant().subtract({ hours: 24 }));
    expect(updated.map(({ account, day }) => `${account} ${day}`).sort()).toEqual([
      'north 2026-10-02',
      'north 2026-11-10',
    ]);
    const { rows } = await sql<{ newest: number }>`
      select extract(epoch from max(updated_at))::float8 as newest from etl.windows`.execute(warehouse);
    expect(Math.max(...updated.map(({ at }) => at))).toBeCloseTo(rows[0]!.newest, 3);
  });

  it('have a state of their own: built, in the mail of another, or skipped', async () => {
    for (const earlier of [onDay('2026-11-14'), daily]) {
      await freeze(warehouse, earlier, ['cleo']);
      await deliver();
    }
    await freeze(warehouse, daily, ['ana', 'ben'], {
      mailed: ['2026-11-17', '2026-11-18'].map((day) => mailedFigures(north, { day })),
    });
    await sql`update etl.deliveries set state = 'sent' where recipient = 'ben'`.execute(warehouse);
    await skipPeriods(warehouse, [{ ...onDay('2026-11-16'), accountId: null, content: null }]);
    const days = ['2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18'];
    expect(await readPeriodStates(warehouse, days.map(onDay))).toEqual([
      null,
      'skipped',
      'sent with another',
      'built',
    ]);
  });
});

it('a digest begins once, by its name and rhythm', async () => {
  await recordStarts(warehouse, [daily, { ...daily, every: 'week' }]);
  await recordStarts(warehouse, [onDay('2026-11-20')]);
  const others = [daily, { ...daily, every: 'month' as const }, { ...daily, every: 'week' as const }];
  expect((await readDigestStates(warehouse, others)).map(({ start }) => start)).toEqual([
    daily.day,
    null,
    daily.day,
  ]);
});

it('the newest period of a digest is one that somebody got, or that was skipped', async () => {
  const newest = async () => (await readDigestStates(warehouse, [daily]))[0]!.newestDay;
  expect(await newest()).toBeNull();
  await skipPeriods(warehouse, [{ ...onDay('2026-11-16'), accountId: null, content: null }]);
  await freeze(warehouse, daily, ['ana'], { mailed: [mailedFigures(north)] });
  expect(await newest()).toBe('2026-11-16');
  await deliver();
  expect(await newest()).toBe('2026-11-18');
});

describe('the figures of an account in a period', () => {
  const week = { every: 'week', day: '2026-11-15', account: 'north', since: '2026-11-09' } as const;
  const load = (day: string, state: string, attempts: number, isOver = true, hash = 'h') =>
    sql`insert into etl.windows (account_id, day, state, day_ended, content_hash, listed_campaigns, attempts)
      values (${north}, ${day}, ${state}, ${isOver}, ${hash}, ${attempts === 0 ? 0 : 1}, ${attempts})
      on conflict (account_id, day) do update set state = excluded.state, content_hash = excluded.content_hash,
        listed_campaigns = excluded.listed_campaigns, attempts = excluded.attempts, day_ended = excluded.day_ended`.execute(
      warehouse,
    );
  const current = async (part: object = {}) => (await readCurrent(warehouse, [{ ...week, ...part }]))[0]!;

  it('lack what is not loaded or not over, from its first day on', async () => {
    expect(await current()).toMatchObject({ state: 'absent', attempts: null, accountId: north });
    expect((await current()).lackingDays).toHaveLength(7);
    await load('2026-11-09', 'loaded', 5);
    await load('2026-11-10', 'failed', 5);
    await load('2026-11-15', 'provisional', 7, false);
    expect(await current()).toMatchObject({ state: 'incomplete', attempts: 12n });
    expect(await current({ since: '2026-11-14' })).toMatchObject({
      lackingDays: ['2026-11-14', '2026-11-15'],
    });
    await load('2026-11-14', 'loaded', 0);
    await load('2026-11-15', 'provisional', 7);
    expect(await current({ since: '2026-11-14' })).toMatchObject({ state: 'provisional', attempts: 12n });
    await load('2026-11-15', 'loaded', 7);
    expect(await current({ since: '2026-11-14' })).toMatchObject({ state: 'whole', lackingDays: [] });
    expect(await current({ account: 'new' })).toMatchObject({ state: 'absent', accountId: null });
  });

  it('have another content with other days or counts, and the same whether they are confirmed', async () => {
    const contents = new Set([(await current()).content]);
    await load('2026-11-14', 'loaded', 5);
    contents.add((await current()).content);
    await load('2026-11-15', 'loaded', 0, true, 'empty');
    const { content } = await current();
    contents.add(content);
    await load('2026-11-15', 'provisional', 0, true, 'empty');
    expect((await current()).content).toBe(content);
    await load('2026-11-15', 'loaded', 5, true, 'other');
    contents.add((await current()).content);
    expect(contents.size).toBe(4);
  });

  it('are those of a quiet day if it is confirmed without calls, and none are known of that weekday in both weeks before', async () => {
    const quiet = async () => {
      const { isQuiet, wasQuiet } = await current({ every: 'day' });
      return [isQuiet, wasQuiet];
    };
    for (const day of ['2026-11-08', '2026-11-15']) await load(day, 'loaded', 0);
    expect(await quiet()).toEqual([true, false]);
    // It never had a campaign on three days: nobody knows whether that is right, unless they said so.
    await load('2026-11-01', 'loaded', 0);
    expect(await quiet()).toEqual([false, true]);
    await sql`insert into etl.alerts (alert, title, dismissed) values ('NO_CAMPAIGNS_YET', 'x', array['north'])`.execute(
      warehouse,
    );
    expect(await quiet()).toEqual([true, true]);
    await sql`delete from etl.alerts`.execute(warehouse);
    // Years before: it isn't looked for among days.
    await sql`insert into etl.campaigns (account_id, callset_id, name_day, is_start_known, updated_at)
      values (${north}, 1, '2020-01-01', false, now())`.execute(warehouse);
    expect(await quiet()).toEqual([true, true]);
    expect((await current()).isQuiet).toBe(false);
    for (const [day, state, attempts, ...expected] of [
      ['2026-11-15', 'provisional', 0, false, true],
      ['2026-11-15', 'loaded', 1, false, true],
      ['2026-11-08', 'loaded', 1, false, false],
      ['2026-11-08', 'provisional', 1, false, false],
      ['2026-11-08', 'provisional', 0, true, false],
      ['2026-11-01', 'failed', 0, true, false],
    ] as const) {
      await load(day, state, attempts);
      expect(await quiet(), `${day} ${state}`).toEqual(expected);
      await load(day, 'loaded', 0);
    }
  });
});
