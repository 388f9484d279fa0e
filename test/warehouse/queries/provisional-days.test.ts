import { beforeAll, expect, it } from 'vitest';
import type { Anomaly } from '../../../src/model/anomaly.ts';
import { inSnapshot } from '../../../src/warehouse/db/transaction.ts';
import { readAccountDays } from '../../../src/warehouse/queries/account-days.ts';
import { readAccountTotals, readDigestAccounts } from '../../../src/warehouse/queries/figures.ts';
import { digestRowPages } from '../../../src/warehouse/queries/figures-rows.ts';
import { readSums } from '../../../src/warehouse/queries/sums.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

/*
 * Every kind of day of an account: the 2nd is confirmed, the 3rd provisional; the 4th was not over; the 5th failed; nobody
 * attempted the 6th; the 7th is confirmed, with a restated campaign, a known anomaly and a held response; the 8th is settling, and
 * the 9th was restated.
 */

const announced: Anomaly = {
  code: 'announced',
  field: 'campaigns',
  announced: 9,
  listed: 4,
  confirmedBy: null,
};
const known: Anomaly = { code: 'remark', sign: 'note: trial', confirmedBy: 'always' };
const all = { from: '2026-03-02', to: '2026-03-07' };

const { client, warehouse } = await openTestWarehouse();
beforeAll(async () => {
  await client.query(`
    insert into warehouse.accounts (account_id, name, label, time_zone, first_expected_day) overriding system value
      values (1, 'north', 'North office', 'UTC', '2026-03-02');
    insert into etl.windows (account_id, day, state, day_ended, listed_campaigns, attempts, anomalies, provisional_reason,
        error, error_code, failed_at, held_hash, held_code, held_reason, synced_run_date, same_since_run_date)
      values
        (1, '2026-03-02', 'loaded', true, 1, 20, '[]', null, null, null, null, null, null, null, '2026-03-09', '2026-03-08'),
        (1, '2026-03-03', 'provisional', true, 1, 30, '${JSON.stringify([announced])}', 'it announced 9', null, null, null, null, null, null, '2026-03-09', '2026-03-09'),
        (1, '2026-03-04', 'provisional', false, 1, 40, '[]', 'the day was not over', null, null, null, null, null, null, '2026-03-09', '2026-03-09'),
        (1, '2026-03-05', 'failed', true, null, null, '[]', null, 'status 503', 'SERVICE_UNAVAILABLE', now(), null, null, null, null, null),
        (1, '2026-03-07', 'loaded', true, 1, 70, '${JSON.stringify([known])}', null, 'refused', 'TOKEN_REFUSED', now(), 'abc', 'emptied', 'it would empty it', '2026-03-09', '2026-03-08'),
        (1, '2026-03-08', 'loaded', true, 1, 80, '[]', null, null, null, null, null, null, null, '2026-03-09', '2026-03-09'),
        (1, '2026-03-09', 'loaded', true, 1, 90, '[]', null, null, null, null, null, null, null, '2026-03-10', '2026-03-09');
    insert into warehouse.campaign_day_restatements (account_id, day, callset_id, restated_at, reason, loaded_at)
      values (1, '2026-03-09', 4711, now(), 'appeared', now());
    insert into etl.campaign_days (account_id, day, callset_id, attempts, loaded_at, restated_at)
      select 1, day, 4711, attempts, now(), case when day = '2026-03-07' then now() end
      from etl.windows where attempts is not null;
    update etl.windows set settled = true where state = 'loaded' and day <> '2026-03-08'`);
});

it('a period lacks what is not loaded or was not over, and names its provisional days with what speaks against them', async () => {
  const totals = async (from: string, to: string) =>
    (await readAccountTotals(warehouse, ['north'], { from, to }))[0];
  expect(await totals(all.from, all.to)).toMatchObject({
    state: 'incomplete',
    lackingDays: ['2026-03-04', '2026-03-05', '2026-03-06'],
    provisionalDays: [{ day: '2026-03-03', anomalies: [announced] }],
    attempts: 160n,
  });
  expect(await totals('2026-03-02', '2026-03-03')).toMatchObject({ state: 'loaded', lackingDays: [] });
  expect(await totals('2026-03-04', '2026-03-04')).toMatchObject({
    state: 'incomplete',
    provisionalDays: [],
  });
  expect(await totals('2026-03-05', '2026-03-06')).toMatchObject({ state: 'missing', provisionalDays: [] });
});

it('a span that begins before the first day lacks nothing of what was not expected, and has all that is loaded', async () => {
  const spans = [
    { accounts: ['north'], ...all, from: '2026-02-20' },
    { accounts: ['north', 'never known'], from: '2026-02-20', to: '2026-02-21' },
  ];
  const [chart, before] = await readSums(warehouse, spans);
  expect(chart).toMatchObject({
    loadedDays: ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-07'],
    lackingDays: ['2026-03-04', '2026-03-05', '2026-03-06'],
    provisionalDays: [{ day: '2026-03-03' }],
  });
  expect(before).toMatchObject({ attempts: null, loadedDays: [], lackingDays: [], state: 'missing' });
});

it('each row of a CSV says whether its day is provisional', async () => {
  const rows = await inSnapshot(warehouse, '5min', async (snapshot) => {
    const accounts = await readDigestAccounts(snapshot, ['north']);
    return (await Array.fromAsync(digestRowPages(snapshot, accounts, all))).flat();
  });
  expect(rows.map(({ day, status }) => [day, status])).toEqual([
    ['2026-03-02', 'loaded'],
    ['2026-03-03', 'provisional'],
    ['2026-03-04', 'provisional'],
    ['2026-03-07', 'restated'],
  ]);
});

it('every day that is not simply confirmed and settled is read with its anomalies, and as coverage shows it', async () => {
  const now = Temporal.Instant.from('2026-03-10T12:00:00Z');
  const north = (await readAccountDays(warehouse, now, 31)).find(({ name }) => name === 'north');
  const day = {
    isOver: true,
    held: false,
    settling: false,
    restated: false,
    code: null,
    status: null,
    sign: null,
    reason: null,
    heldCode: null,
    heldReason: null,
  };
  const loaded = (attempts: number | null) => ({ ...day, attempts, typicalAttempts: null });
  expect(north!.days).toEqual([
    { ...loaded(30), day: '2026-03-03', state: 'provisional', anomalies: [announced] },
    { ...loaded(40), day: '2026-03-04', state: 'provisional', isOver: false, anomalies: [] },
    {
      ...loaded(null),
      day: '2026-03-05',
      state: 'failed',
      code: 'SERVICE_UNAVAILABLE',
      reason: 'status 503',
      anomalies: [],
    },
    { ...loaded(null), day: '2026-03-06', state: 'missing', anomalies: [] },
    {
      ...loaded(70),
      day: '2026-03-07',
      state: 'loaded',
      held: true,
      code: 'TOKEN_REFUSED',
      reason: 'refused',
      heldCode: 'emptied',
      heldReason: 'it would empty it',
      anomalies: [known],
    },
    { ...loaded(80), day: '2026-03-08', state: 'loaded', settling: true, anomalies: [] },
    { ...loaded(90), day: '2026-03-09', state: 'loaded', restated: true, anomalies: [] },
  ]);
  const { rows: inCoverage } = await client.query(
    `select day::text, state, held, settling, restated from warehouse.coverage
     where account = 'north' and day between '2026-03-03' and '2026-03-09' order by day`,
  );
  expect(north!.days).toMatchObject(inCoverage);
});

it('coverage says why a day is provisional or a response held, whatever failed since, by a code, too, and how many campaigns the service announced', async () => {
  const { rows } = await client.query(
    `select day::text, state, held, reason_code as code, reason, listed, announced from warehouse.coverage
     where account = 'north' and day between '2026-03-02' and '2026-03-07' order by day`,
  );
  const none = { held: false, code: null, reason: null, listed: null, announced: null };
  expect(rows).toEqual([
    { ...none, day: '2026-03-02', state: 'loaded' },
    {
      ...none,
      day: '2026-03-03',
      state: 'provisional',
      code: 'ANNOUNCED',
      reason: 'it announced 9',
      listed: '4',
      announced: '9',
    },
    {
      ...none,
      day: '2026-03-04',
      state: 'provisional',
      code: 'DAY_NOT_OVER',
      reason: 'the day was not over',
    },
    { ...none, day: '2026-03-05', state: 'failed', code: 'SERVICE_UNAVAILABLE', reason: 'status 503' },
    { ...none, day: '2026-03-06', state: 'missing' },
    { ...none, day: '2026-03-07', state: 'loaded', held: true, code: 'EMPTIED', reason: 'it would empty it' },
  ]);
});

it('a day that settles has what its weekday usually has, of confirmed days with attempts, unless a backfill brought its counts', async () => {
  await client.query(`
    insert into warehouse.accounts (account_id, name, label, time_zone, first_expected_day) overriding system value
      values (2, 'coast', 'Coast', 'UTC', '2026-03-31');
    insert into etl.windows (account_id, day, state, listed_campaigns, attempts, synced_run_date, same_since_run_date)
      values
        (2, '2026-03-03', 'loaded', 1, 100, '2026-03-04', '2026-03-04'),
        (2, '2026-03-10', 'loaded', 1, 300, '2026-03-11', '2026-03-11'),
        (2, '2026-03-17', 'provisional', 1, 900, '2026-03-18', '2026-03-18'),
        (2, '2026-03-24', 'loaded', 1, 0, '2026-03-25', '2026-03-25'),
        (2, '2026-03-31', 'loaded', 1, 30, '2026-04-03', '2026-04-03')`);
  const typical = async () => {
    const now = Temporal.Instant.from('2026-04-01T12:00:00Z');
    const coast = (await readAccountDays(warehouse, now, 31)).find(({ name }) => name === 'coast');
    return coast!.days.map(({ day, attempts, typicalAttempts }) => [day, attempts, typicalAttempts]);
  };
  expect(await typical()).toEqual([['2026-03-31', 30, 200]]);
  const loadedBy = (kind: string) =>
    client.query(
      `with run as (
         insert into etl.runs (kind, command, run_date, host, process_id) values ($1, $1, '2026-04-03', 'here', 1) returning run_id)
       update etl.windows set run_id = run.run_id from run where account_id = 2 and day = '2026-03-31'`,
      [kind],
    );
  await loadedBy('backfill');
  expect(await typical()).toEqual([['2026-03-31', 30, null]]);
  await loadedBy('nightly');
  expect(await typical()).toEqual([['2026-03-31', 30, 200]]);
  await client.query(
    `update etl.windows set state = 'provisional' where account_id = 2 and day = '2026-03-03'`,
  );
  expect(await typical()).toEqual([['2026-03-31', 30, null]]);
});
