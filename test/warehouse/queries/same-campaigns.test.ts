import { beforeAll, expect, it } from 'vitest';
import { readSameCampaigns } from '../../../src/warehouse/queries/same-campaigns.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { client, warehouse } = await openTestWarehouse(1);
const names = ['a', 'b', 'c', 'd', 'e', 'f'];

beforeAll(async () => {
  // The hash of each account on three days; with an empty one, the day has no campaigns.
  const hashes = {
    '2026-11-17': ['x', 'x', 'own c', 'y', 'y', ''],
    '2026-11-18': ['own a', 'x', 'x', 'y', 'y', ''],
    '2026-11-19': ['y', 'own b', 'own c', 'own d', '', ''],
    '2026-11-20': ['x', 'own b', 'own c', 'own d', 'own e', 'x'],
  };
  await client.query(
    `insert into warehouse.accounts (account_id, name, label, time_zone) overriding system value
     select place, name, upper(name), 'UTC' from unnest($1::text[]) with ordinality n (name, place)`,
    [names],
  );
  for (const [day, ofAccounts] of Object.entries(hashes)) {
    await client.query(
      `insert into etl.windows (account_id, day, state, content_hash, listed_campaigns, active_campaigns, synced_at, fetched_at, synced_run_date, same_since_run_date)
       select place, $1, 'loaded', hash, case hash when '' then 0 else 7 end, case hash when '' then 0 else 7 end, now(), now(), $1, $1 from unnest($2::text[]) with ordinality h (hash, place)`,
      [day, ofAccounts],
    );
  }
});

it('accounts with the same campaigns on one day are alike and one set, over days that share one of them; days without campaigns are none', async () => {
  const sets = await readSameCampaigns(warehouse, names, ['2026-11-17', '2026-11-18', '2026-11-19']);
  const inWords = sets.map(({ accounts, days }) => [accounts.map(({ label }) => label).join(), days]);
  expect(inWords).toEqual([
    ['A,B,C', ['2026-11-17', '2026-11-18']],
    ['D,E', ['2026-11-17', '2026-11-18']],
  ]);
});
