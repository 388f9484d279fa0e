import { afterEach, describe, expect, it } from 'vitest';
import { backfill } from '../../src/job/backfill.ts';
import { isSettled } from '../../src/job/windows/due.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { openWarehouse } from '../../src/warehouse/db/database.ts';
import { readLedger } from '../../src/warehouse/ledger/ledger.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const settings = () => ({
  ACCOUNTS_FILE: '',
  ACCOUNT_NAME: 'valley',
  SIDTOKEN: generateDataset().accounts.find(({ name }) => name === 'valley')!.token,
  LOOKBACK_DAYS: '2',
  CATCH_UP_DAYS: '5',
});
const night = (day: string) => runNight(world, day, settings(), { digest: false });

async function settlingDays(): Promise<string[]> {
  const rows = await world.query<{ day: string }>(
    'select day::text from warehouse.coverage where settling order by day',
  );
  return rows.map(({ day }) => day);
}

/** By the ledger, as the plan of a run and the corrected digests see it. */
async function unsettledInPlan(): Promise<string[]> {
  const warehouse = openWarehouse(world.databaseUrl, 1);
  const ledger = await readLedger(warehouse, '2026-01-01').finally(() => warehouse.destroy());
  return ledger
    .filter((entry) => entry.state === 'loaded' && !isSettled(entry))
    .map(({ day }) => day)
    .sort();
}

describe('days that are backfilled beyond CATCH_UP_DAYS', () => {
  it('are settled at once, the others when a night finds the same, and in the end none is settling for ever', async () => {
    world = await openWorld();
    const request = {
      command: 'backfill',
      from: '2026-02-10',
      to: '2026-03-02',
      accounts: null,
    };
    await atInstant(world, '2026-03-03T05:00:00Z', (app) => backfill(app, request, never), settings());
    // Five days back from yesterday is 26 February: no later night syncs it.
    expect(await settlingDays()).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
    expect(await unsettledInPlan()).toEqual(await settlingDays());
    await night('2026-03-04');
    expect(await settlingDays()).toEqual(['2026-03-03']);
    expect(await unsettledInPlan()).toEqual(['2026-03-03']);
    await night('2026-03-05');
    expect(await settlingDays()).toEqual(['2026-03-04']);
  });

  it('stay settled when the zone or CATCH_UP_DAYS is another one later', async () => {
    world = await openWorld();
    await runNight(world, '2026-03-01', settings(), { days: ['2026-02-10'], digest: false });
    await runNight(
      world,
      '2026-03-02',
      { ...settings(), CATCH_UP_DAYS: '60', TIME_ZONE: 'Asia/Tokyo' },
      { digest: false },
    );
    expect(await settlingDays()).not.toContain('2026-02-10');
    expect(await unsettledInPlan()).toEqual(await settlingDays());
  });
});
