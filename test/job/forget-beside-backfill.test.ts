import { afterAll, beforeAll, expect, it } from 'vitest';
import { backfill } from '../../src/job/backfill.ts';
import type { RunReport } from '../../src/job/run/run.ts';
import { localExecutor, type WindowExecutor } from '../../src/job/windows/sync-windows.ts';
import { Failure } from '../../src/model/errors.ts';
import { forgetAccount, readForgettable } from '../../src/warehouse/retention/forget-account.ts';
import { atInstant, never } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let report: RunReport;

beforeAll(async () => {
  world = await openWorld();
  const request = { command: 'backfill', from: '2026-03-06', to: '2026-03-10', accounts: null };
  report = await atInstant(
    world,
    '2026-03-11T06:30:00Z',
    (app) => backfill(app, request, never, erasing('valley')),
    { CONCURRENCY: '1', RETRIES: '0' },
  );
});
afterAll(() => world.close());

/** The account's first window fails, and it is erased while the response for its second is on its way. */
function erasing(name: string): WindowExecutor {
  let windows = 0;
  return {
    ...localExecutor,
    async sync(run, task) {
      const summarizeCampaigns: typeof run.service.summarizeCampaigns = async (account, ...rest) => {
        if (account.name === name && ++windows === 1) throw new Failure('REQUEST_REFUSED', 'no');
        const response = await run.service.summarizeCampaigns(account, ...rest);
        if (account.name === name && windows === 2) await erase(run.warehouse, name);
        return response;
      };
      return await localExecutor.sync({ ...run, service: { ...run.service, summarizeCampaigns } }, task);
    },
  };
}

async function erase(warehouse: Parameters<typeof forgetAccount>[0], name: string): Promise<void> {
  const account = (await readForgettable(warehouse)).find((each) => each.name === name)!;
  await forgetAccount(warehouse, account);
}

it('a backfill of an account that is erased meanwhile loads those of the others, and ends well', () => {
  expect([report.exitCode, report.outcome]).toEqual([0, 'done']);
  expect(report.stats.windows).toMatchObject({ loaded: 10, failed: 0 });
});

it('a backfill beside it neither requests the account any more nor records it again', async () => {
  const requested = world.simulator.journal.filter(({ account }) => account === 'valley');
  expect(requested).toHaveLength(1);
  const [rows] = await world.query(
    `select (select count(*)::int from etl.runs r where r::text ~ 'valley') as runs,
       (select count(*)::int from warehouse.accounts where name = 'valley') as accounts,
       (select count(*)::int from etl.windows) as windows`,
  );
  expect(rows).toEqual({ runs: 0, accounts: 0, windows: 10 });
});
