import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadWindow } from '../../../src/job/windows/load-window.ts';
import type { IsAccepted } from '../../../src/model/anomaly.ts';
import type { CampaignRecord, SummaryEnvelope } from '../../../src/model/records.ts';
import type { WindowResponse } from '../../../src/model/window.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { databaseClock } from '../../../src/warehouse/ledger/runs.ts';
import { readEntry, recordFailures } from '../../../src/warehouse/ledger/window-entry.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { lockWaits } from '../../support/database.ts';
import { plainResponse } from '../../support/plain-response.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const day = '2026-03-02';
const { databaseUrl, warehouse } = await openTestWarehouse(4);
let accountId: number;
const runs = new Map<string, number>();

beforeAll(async () => {
  for (const runDate of ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06'])
    runs.set(runDate, await beginTestRun(warehouse, runDate));
});
beforeEach(async () => {
  accountId = await newAccount();
});

const campaign = (callsetId: number, attempts: number): CampaignRecord => ({
  callsetId,
  campaign: `Campaign ${callsetId}`,
  attempts,
  busies: 0,
  connects: attempts,
  liveAnswers: 0,
  extra: {},
});

async function newAccount(): Promise<number> {
  const name = `account ${crypto.randomUUID().slice(0, 8)}`;
  const rows = await syncAccounts(warehouse, [{ name, label: name, timeZone: 'UTC' }]);
  return rows.find((row) => row.name === name)!.id;
}

type Part = Partial<Omit<WindowResponse, 'envelope'>> & {
  readonly beside?: Partial<SummaryEnvelope>;
  readonly repeatable?: boolean;
  readonly isAccepted?: IsAccepted;
};

async function load(
  records: readonly CampaignRecord[],
  { beside, repeatable = false, isAccepted, runDate = '2026-03-03', ...part }: Part = {},
) {
  const plain = plainResponse(records);
  const window = {
    ...plain,
    envelope: { ...plain.envelope, ...beside },
    accountId,
    day,
    runId: runs.get(runDate)!,
    runDate,
    fetchedAt: await databaseClock(warehouse),
    ...part,
  };
  const { decision } = await loadWindow(warehouse, window, repeatable, isAccepted);
  return decision;
}

async function ledger() {
  const entries = await sql<{ state: string }>`
    select * from etl.windows where account_id = ${accountId} and day = ${day}`.execute(warehouse);
  return entries.rows[0];
}

async function decisions() {
  const archived = await sql<{ decision: string }>`
    select decision from etl.responses where account_id = ${accountId} order by response_id`.execute(
    warehouse,
  );
  return archived.rows.map(({ decision }) => decision);
}

async function rows() {
  const stored = await sql`
    select callset_id, attempts from etl.campaign_days
    where account_id = ${accountId} order by callset_id`.execute(warehouse);
  return stored.rows;
}

describe('loading a window', () => {
  it('does not load a response that is older than the current one', async () => {
    const older = await databaseClock(warehouse);
    await load([campaign(1, 10)]);
    expect(await load([campaign(1, 5)], { fetchedAt: older })).toBe('stale');
    expect(await rows()).toMatchObject([{ attempts: 10 }]);
  });

  it('does not load a response that was requested at the very instant of the current one', async () => {
    const fetchedAt = await databaseClock(warehouse);
    await load([campaign(1, 10)], { fetchedAt });
    expect(await load([campaign(1, 5)], { fetchedAt })).toBe('stale');
    expect(await rows()).toMatchObject([{ attempts: 10 }]);
  });

  it('keeps the newest response, in whatever order two are loaded at once', async () => {
    const [first, second] = [await databaseClock(warehouse), await databaseClock(warehouse)];
    await Promise.all([
      load([campaign(1, 2)], { fetchedAt: second }),
      load([campaign(1, 1)], { fetchedAt: first }),
    ]);
    expect(await rows()).toMatchObject([{ attempts: 2 }]);
  });

  it('goes on where the current response was recorded as fetched in the future', async () => {
    await load([campaign(1, 10)]);
    await sql`update etl.windows set fetched_at = now() + interval '3 years' where account_id = ${accountId}`.execute(
      warehouse,
    );
    expect(await load([campaign(1, 12)])).toBe('apply');
    expect(await rows()).toMatchObject([{ attempts: 12 }]);
    const older = await databaseClock(warehouse);
    await load([campaign(1, 13)]);
    expect(await load([campaign(1, 5)], { fetchedAt: older })).toBe('stale');
  });

  it('records the sums of the day, each rate over the campaigns that report both of its counts, and what was listed', async () => {
    await load(
      [
        { ...campaign(1, 100), busies: 1, connects: 10, liveAnswers: null },
        { ...campaign(2, 1_000), busies: null, connects: 20, liveAnswers: 3 },
        { ...campaign(3, 10_000), busies: 4, connects: null, liveAnswers: 5 },
        { ...campaign(4, 0), attempts: null, busies: 7, connects: 7, liveAnswers: 7 },
      ],
      { beside: { counts: { campaigns: 5 } } },
    );
    expect(await ledger()).toMatchObject({
      listed_campaigns: 4,
      active_campaigns: 3,
      attempts_unreported_campaigns: 1,
      attempts: '11100',
      busies: '12',
      connects: '37',
      live_answers: '15',
      connect_rate_connects: '30',
      connect_rate_attempts: '1100',
      live_answer_rate_live_answers: '8',
      live_answer_rate_attempts: '11000',
      busy_rate_busies: '5',
      busy_rate_attempts: '10100',
    });
    const archived = await sql`
      select operation, day::text, status, rows, counts, sign, day_ended, decision from etl.responses
      where account_id = ${accountId}`.execute(warehouse);
    expect(archived.rows).toEqual([
      {
        operation: 'campaignSummary',
        day,
        status: 200,
        rows: 4,
        counts: { campaigns: 5 },
        sign: null,
        day_ended: true,
        decision: 'provisional',
      },
    ]);
  });

  it('records the run date, so that a second run on it requests the day no more', async () => {
    await load([campaign(1, 10)]);
    await load([campaign(1, 10)], { runDate: '2026-03-04' });
    expect(await ledger()).toMatchObject({
      synced_run_date: '2026-03-04',
      same_since_run_date: '2026-03-03',
    });
  });

  it('leaves the day as it was when it fails half-way', async () => {
    await load([campaign(1, 10)]);
    const impossible = { ...campaign(2, 1), extra: { half: '\ud800' } };
    await expect(load([campaign(1, 99), impossible])).rejects.toThrow();
    expect(await rows()).toMatchObject([{ callset_id: 1, attempts: 10 }]);
  });
});

const announcing = { counts: { campaigns: 9 } };
const announced = {
  code: 'announced',
  field: 'campaigns',
  announced: 9,
  listed: 1,
  confirmedBy: null,
};

describe('an anomalous response', () => {
  it('with fewer figures than a provisional day has is left out: the day keeps what it has, and is fetched again', async () => {
    await load([campaign(1, 10), campaign(2, 20)], { beside: announcing });
    expect(await load([], { runDate: '2026-03-04' })).toBe('ignore');
    expect(await ledger()).toMatchObject({
      state: 'provisional',
      attempts: '30',
      // No repetition: nothing confirms the day.
      same_since_run_date: '2026-03-04',
      synced_run_date: '2026-03-04',
      held_hash: null,
    });
    expect(await decisions()).toEqual(['provisional', 'ignored']);
  });

  it('that announces more than it lists is requested once more, unless somebody accepted that', async () => {
    const repeatable = { beside: announcing, repeatable: true };
    expect(await load([campaign(1, 10)], repeatable)).toBe('repeat');
    const remark = { remarks: ['note: partial data'] };
    expect(await load([campaign(1, 10)], { ...repeatable, beside: remark })).toBe('apply');
    expect(await load([campaign(1, 10)], { ...repeatable, isAccepted: () => true })).toBe('apply');
    expect(await ledger()).toMatchObject({
      state: 'loaded',
      anomalies: [{ ...announced, confirmedBy: 'always' }],
    });
  });
});

/** Records a failure; returns the windows that it changed. */
const fail = (requestedAt: string) =>
  recordFailures(warehouse, [{ accountId, day, requestedAt }], '2026-03-03', {
    code: 'SERVICE_UNAVAILABLE',
    detail: 'down',
    status: null,
  });

it('what was refused, and is not requested by a later run, stays refused', async () => {
  const error = async (code: 'TOKEN_REFUSED' | 'NOT_REQUESTED' | 'SERVICE_UNAVAILABLE') => {
    const requestedAt = await databaseClock(warehouse);
    const failure = { code, detail: code, status: null };
    expect(
      await recordFailures(warehouse, [{ accountId, day, requestedAt }], '2026-03-03', failure),
    ).toHaveLength(1);
    return await ledger();
  };
  expect(await error('SERVICE_UNAVAILABLE')).toMatchObject({ error_code: 'SERVICE_UNAVAILABLE' });
  expect(await error('NOT_REQUESTED')).toMatchObject({ error_code: 'NOT_REQUESTED' });
  expect(await error('TOKEN_REFUSED')).toMatchObject({ error_code: 'TOKEN_REFUSED' });
  expect(await error('NOT_REQUESTED')).toMatchObject({ error_code: 'TOKEN_REFUSED' });
});

it('a campaign that returns had no figures in between: those before were withdrawn', async () => {
  const [one, two, three] = [campaign(1, 10), campaign(2, 20), campaign(3, 30)];
  await load([one, two, three]);
  await load([one, two], { runDate: '2026-03-04' });
  await load([one, two, three], { runDate: '2026-03-05' });
  const stored = await sql`
    select reason, attempts_before from warehouse.campaign_day_restatements
    where account_id = ${accountId} and callset_id = 3 order by restated_at`.execute(warehouse);
  expect(stored.rows).toEqual([
    { reason: 'withdrawn', attempts_before: 30 },
    { reason: 'returned', attempts_before: null },
  ]);
});

it('a slow failure that ends after a response that was requested later changes nothing', async () => {
  const requestedAt = await databaseClock(warehouse);
  await load([campaign(1, 10)]);
  expect(await fail(requestedAt)).toEqual([]);
  expect(await ledger()).toMatchObject({ state: 'loaded', error: null, failed_at: null });
});

it('a failure that is newer than a response stays with it', async () => {
  const fetchedAt = await databaseClock(warehouse);
  expect(await fail(await databaseClock(warehouse))).toHaveLength(1);
  await load([campaign(1, 10)], { fetchedAt });
  expect(await ledger()).toMatchObject({
    state: 'loaded',
    error: 'down',
    error_code: 'SERVICE_UNAVAILABLE',
  });
  await load([campaign(1, 10)]);
  expect(await ledger()).toMatchObject({ state: 'loaded', error: null, failed_at: null });
});

it('a day that the service doesn’t keep stays as it is, and no response is held any more', async () => {
  await load([campaign(1, 10)]);
  await load([campaign(1, 10)], { runDate: '2026-03-04' });
  expect(await load([], { runDate: '2026-03-05' })).toBe('hold');
  const fetchedAt = await databaseClock(warehouse);
  expect(await load([], { runDate: '2026-03-06', isBeyondLookback: true, fetchedAt })).toBe('ignore');
  expect(await rows()).toMatchObject([{ attempts: 10 }]);
  expect(await ledger()).toMatchObject({
    state: 'loaded',
    attempts: '10',
    same_since_run_date: '2026-03-03',
    synced_run_date: '2026-03-06',
    held_hash: null,
    held_reason: null,
    held_since: null,
  });
  expect(await decisions()).toEqual(['loaded', 'loaded', 'held', 'ignored']);
  expect(await load([campaign(1, 5)], { fetchedAt })).toBe('stale');
});

it('what is current of a window is read of its own account and day', async () => {
  await load([campaign(1, 10)]);
  const newer = await syncAccounts(warehouse, [{ name: 'newer', label: 'Newer', timeZone: 'UTC' }]);
  const newerId = newer.find(({ name }) => name === 'newer')!.id;
  expect(await readEntry(warehouse, { accountId: newerId, day })).toBeNull();
  expect(await readEntry(warehouse, { accountId, day: '2026-02-28' })).toBeNull();
  expect(await readEntry(warehouse, { accountId, day })).toMatchObject({ state: 'loaded' });
});

it('the failure of a window whose account is being erased is recorded nowhere', async () => {
  const failing: Promise<unknown[]>[] = [];
  await inTransaction(warehouse, async (transaction) => {
    await sql`delete from warehouse.accounts where account_id = ${accountId}`.execute(transaction);
    failing.push(
      recordFailures(warehouse, [{ accountId, day, requestedAt: '2026-03-03T06:30:00Z' }], '2026-03-03', {
        code: 'REQUEST_REFUSED',
        detail: 'no',
        status: null,
      }),
    );
    await lockWaits(databaseUrl, 1);
  });
  expect(await Promise.all(failing)).toEqual([[]]);
});
