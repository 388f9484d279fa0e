import { beforeEach, describe, expect, it } from 'vitest';
import {
  beginWalk,
  recordCompleteWalk,
  recordIncompleteWalk,
} from '../../../src/warehouse/load/client-walks.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { addAccounts, warehouse } = await openTestWarehouse();
const [accountId, otherId] = (await addAccounts('north', 'coast')) as [number, number];
const runId = await beginTestRun(warehouse, '2026-03-03');

const at = '2026-03-01T06:30:00Z';
const [first, second, third] = ['2026-03-03', '2026-03-04', '2026-03-05'] as const;

/** Clients with the same ids in both accounts. */
beforeEach(async () => {
  await warehouse.deleteFrom('etl.missed_clients').execute();
  await warehouse.deleteFrom('warehouse.clients').execute();
  const since = { first_seen_at: at, updated_at: at };
  const rows = [accountId, otherId].flatMap((account_id) =>
    [1, 2, 3, 4].map((client_id) => ({ account_id, client_id, ...since })),
  );
  await warehouse.insertInto('warehouse.clients').values(rows).execute();
});

const begin = (account: number, runDate: string) =>
  beginWalk(warehouse, {
    accountId: account,
    runId,
    runDate,
    day: runDate,
    startedAt: `${runDate}T06:30:00Z`,
  });

/** A complete walk of that run date lists these clients, all of which are present then. */
async function walk(runDate: string, ...ids: readonly number[]) {
  return await recordCompleteWalk(warehouse, await begin(accountId, runDate), new Set(ids));
}

async function absent(account = accountId): Promise<number[]> {
  const clients = await warehouse
    .selectFrom('warehouse.clients')
    .select('client_id as id')
    .where('account_id', '=', account)
    .where('absent_at', 'is not', null)
    .orderBy('client_id')
    .execute();
  return clients.map(({ id }) => id);
}

describe('a client that complete walks miss', () => {
  it('is absent from the second run date on, and not by two walks of one run date', async () => {
    expect(await walk(first, 1, 2, 3)).toEqual({ absent: 0, implausible: 0 });
    expect(await walk(first, 1, 2, 3)).toEqual({ absent: 0, implausible: 0 });
    expect(await absent()).toEqual([]);
    expect(await walk(second, 1, 2, 3)).toEqual({ absent: 1, implausible: 0 });
    expect(await absent()).toEqual([4]);
    expect(await walk(third, 1, 2, 3)).toEqual({ absent: 0, implausible: 0 });
    const noted = await warehouse
      .selectFrom('etl.missed_clients')
      .select('absent_decided_at as at')
      .execute();
    expect(noted).toEqual([{ at: expect.stringContaining(second) }]);
    // Of three that are left.
    expect(await walk(third, 1)).toEqual({ absent: 0, implausible: 2 });
  });

  it('is not absent where over half would go, and is where it is half', async () => {
    for (const runDate of [first, second])
      expect(await walk(runDate, 1)).toEqual({ absent: 0, implausible: 3 });
    expect(await absent()).toEqual([]);
    await walk(second, 1, 2);
    expect(await walk(third, 1, 2)).toEqual({ absent: 2, implausible: 0 });
    expect(await absent()).toEqual([3, 4]);
  });

  it('is one of its own account: what another one misses stays pending, and is not counted', async () => {
    const walkOther = async (runDate: string) =>
      await recordCompleteWalk(warehouse, await begin(otherId, runDate), new Set([1, 2, 3]));
    await walkOther(first);
    await walk(first, 1, 2, 3, 4);
    await walk(second, 1, 2, 3);
    expect(await walk(third, 1, 2, 3)).toEqual({ absent: 1, implausible: 0 });
    expect({ own: await absent(), others: await absent(otherId) }).toEqual({ own: [4], others: [] });
    expect(await walkOther(second)).toEqual({ absent: 1, implausible: 0 });
    const walked = await warehouse
      .selectFrom('warehouse.accounts')
      .select(['account_id as id', 'clients_walked_at as at'])
      .orderBy('account_id')
      .execute();
    expect(walked).toEqual([
      { id: accountId, at: expect.stringContaining(third) },
      { id: otherId, at: expect.stringContaining(second) },
    ]);
  });
});

it('the cursor of a client moves when it becomes absent, and no other one', async () => {
  for (const runDate of [first, second]) await walk(runDate, 1, 2, 3);
  const moved = await warehouse
    .selectFrom('warehouse.clients')
    .select(['account_id', 'client_id'])
    .where('updated_at', '>', at)
    .execute();
  expect(moved).toEqual([{ account_id: accountId, client_id: 4 }]);
});

it('why a walk is not complete is said of that walk alone', async () => {
  const [one, other] = [await begin(accountId, first), await begin(accountId, first)];
  const error = { code: 'INVALID_RESPONSE', status: '502', sign: 'HTTP 502' } as const;
  await recordIncompleteWalk(warehouse, one.id, 'incomplete', 'page 2 is missing', error, ['total: 3']);
  const walks = await warehouse
    .selectFrom('etl.walks')
    .select(['verdict', 'reason', 'error_code', 'error_status', 'signs', 'decided_at'])
    .where('walk_id', 'in', [one.id, other.id])
    .orderBy('walk_id')
    .execute();
  expect(walks).toMatchObject([
    {
      verdict: 'incomplete',
      reason: 'page 2 is missing',
      error_code: 'INVALID_RESPONSE',
      error_status: '502',
      signs: ['total: 3', 'HTTP 502'],
      decided_at: null,
    },
    { reason: null, error_code: null },
  ]);
  await recordCompleteWalk(warehouse, other, new Set([1, 2, 3, 4]));
  const decided = await warehouse
    .selectFrom('etl.walks')
    .select('walk_id')
    .where('walk_id', 'in', [one.id, other.id])
    .where('verdict', '=', 'complete')
    .where('decided_at', 'is not', null)
    .execute();
  expect(decided).toEqual([{ walk_id: other.id }]);
});
