import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import {
  lockAccount,
  readAccounts,
  retireOthers,
  syncAccounts,
} from '../../../src/warehouse/ledger/accounts.ts';
import { readLedger } from '../../../src/warehouse/ledger/ledger.ts';
import { readAccountDays } from '../../../src/warehouse/queries/account-days.ts';
import { readMetricSamples } from '../../../src/warehouse/queries/metric-samples.ts';
import { lockWaits } from '../../support/database.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { databaseUrl, warehouse } = await openTestWarehouse(3);
let ids: Record<string, number>;

const accountOf = (name: string) => ({ name, label: name, timeZone: 'UTC' });
const [north, coast] = [accountOf('north'), accountOf('coast')];

beforeEach(async () => {
  await sql`truncate warehouse.accounts, etl.runs cascade`.execute(warehouse);
  const rows = await syncAccounts(warehouse, [north, coast]);
  ids = Object.fromEntries(rows.map(({ name, id }) => [name, id]));
});

async function window(name: string, day: string, state: string, more: object = {}): Promise<void> {
  const row = { account_id: ids[name]!, day, state, ...more };
  await sql`insert into etl.windows (account_id, day, state, run_id, held_hash)
    select account_id, day, state, run_id, held_hash
    from jsonb_populate_record(null::etl.windows, ${JSON.stringify(row)}::jsonb)`.execute(warehouse);
}

async function accounts(): Promise<unknown[]> {
  const { rows } =
    await sql`select name, first_expected_day, last_expected_day, listed_client_id, xmin from warehouse.accounts order by name`.execute(
      warehouse,
    );
  return rows;
}

describe('an account that is gone from the settings', () => {
  beforeEach(async () => {
    await window('north', '2026-03-08', 'loaded');
    await window('coast', '2026-03-05', 'loaded');
    await window('coast', '2026-03-06', 'failed');
  });

  it('retires once, with its own last loaded day, and nobody reads of it any more', async () => {
    expect(await retireOthers(warehouse, [north])).toEqual(['coast']);
    expect(await accounts()).toMatchObject([
      { last_expected_day: '2026-03-05' },
      { last_expected_day: null },
    ]);
    expect((await readAccounts(warehouse)).map(({ name }) => name)).toEqual(['north']);
    const readers = [
      (await readLedger(warehouse, '2026-03-01')).map(({ account }) => account),
      (await readAccountDays(warehouse, Temporal.Instant.from('2026-03-09T12:00:00Z'), 31)).map(
        ({ name }) => name,
      ),
      (await readMetricSamples(warehouse)).flatMap(({ labels }) => labels.account ?? []),
    ];
    for (const names of readers) expect(new Set(names)).toEqual(new Set(['north']));
    await window('coast', '2026-03-07', 'loaded');
    expect(await retireOthers(warehouse, [north])).toEqual([]);
    expect(await accounts()).toMatchObject([
      { last_expected_day: '2026-03-05' },
      { last_expected_day: null },
    ]);
  });

  it('goes on when it is back, and only then is written', async () => {
    await retireOthers(warehouse, [north]);
    const before = await accounts();
    await syncAccounts(warehouse, [north]);
    expect(await accounts()).toEqual(before);
    await syncAccounts(warehouse, [north, coast]);
    expect(await accounts()).toMatchObject([{ last_expected_day: null }, { last_expected_day: null }]);
  });
});

it('a client that an account is belongs to that account alone, and is written once', async () => {
  const linked = [{ ...north, client: { account: 'coast', id: 7 } }, coast];
  await syncAccounts(warehouse, linked);
  const before = await accounts();
  expect(before).toMatchObject([{ listed_client_id: null }, { listed_client_id: 7 }]);
  await syncAccounts(warehouse, linked);
  expect(await accounts()).toEqual(before);
});

it('one transaction after the other writes the clients of an account; another account’s doesn’t wait', async () => {
  const order: string[] = [];
  const locked = (name: string, work: () => Promise<unknown> = async () => {}) =>
    inTransaction(warehouse, async (transaction) => {
      await lockAccount(transaction, ids[name]!);
      order.push(name);
      await work();
      order.push(`end of ${name}`);
    });
  let second: Promise<unknown> = Promise.resolve();
  await locked('north', async () => {
    second = locked('north');
    await locked('coast');
    await lockWaits(databaseUrl, 1);
  });
  await second;
  expect(order).toEqual(['north', 'coast', 'end of coast', 'end of north', 'north', 'end of north']);
});
