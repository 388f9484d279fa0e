import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { refreshCampaigns } from '../../../src/warehouse/load/campaigns.ts';
import { forgetAccount } from '../../../src/warehouse/retention/forget-account.ts';
import { lockWaits } from '../../support/database.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { client, databaseUrl, warehouse } = await openTestWarehouse();
beforeEach(async () => {
  await client.query(`
    delete from etl.campaigns; delete from etl.campaign_days; delete from etl.windows; delete from warehouse.accounts;
    delete from etl.campaign_refresh;
    insert into warehouse.accounts (account_id, name, label, time_zone) overriding system value
    values (1, 'north', 'North', 'UTC'), (2, 'coast', 'Coast', 'UTC')`);
});

type Row = { readonly id: number; readonly name: string; readonly attempts: number | null };
type Load = {
  readonly account: number;
  readonly day: number;
  readonly isConfirmed: boolean;
  readonly rows: readonly Row[];
};

const dateOf = (day: number) => `date '2026-03-01' + ${day}`;

/** Loads a day as a run does: rows that it doesn't list are withdrawn. */
async function load({ account, day, isConfirmed, rows }: Load, updatedAt = 'now()'): Promise<void> {
  const state = isConfirmed ? 'loaded' : 'provisional';
  await client.query(
    `insert into etl.windows (account_id, day, state, updated_at) values (${account}, ${dateOf(day)}, '${state}', ${updatedAt})
     on conflict (account_id, day) do update set state = excluded.state, updated_at = excluded.updated_at`,
  );
  await client.query(
    `update etl.campaign_days set withdrawn_at = now() where account_id = ${account} and day = ${dateOf(day)}`,
  );
  for (const { id, name, attempts } of rows)
    await client.query(
      `insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, loaded_at)
       values (${account}, ${dateOf(day)}, $1, $2, $3, now())
       on conflict (account_id, day, callset_id) do update
         set campaign = excluded.campaign, attempts = excluded.attempts, withdrawn_at = null`,
      [id, name, attempts],
    );
}

const mark = (account: number, day: number, state: string) =>
  client.query(
    `update etl.windows set state = '${state}', updated_at = now()
     where account_id = ${account} and day = ${dateOf(day)} and state <> 'failed'`,
  );

/** As if days had passed: what was loaded until now isn't news any more. */
const daysPass = () => client.query(`update etl.windows set updated_at = updated_at - interval '3 days'`);

const columns = 'account_id, callset_id, name, first_day::text, last_day::text, is_start_known';
const kept = async () =>
  (await client.query(`select ${columns} from warehouse.campaigns order by 1, 2`)).rows;
const aggregated = async () =>
  (
    await client.query(`
      with campaigns as (
        select d.account_id, d.callset_id, (array_agg(d.campaign order by d.day desc))[1] as name,
          min(d.day) filter (where d.attempts > 0 and d.withdrawn_at is null and w.state = 'loaded') as first_day,
          max(d.day) filter (where d.attempts > 0 and d.withdrawn_at is null and w.state = 'loaded') as last_day
        from etl.campaign_days d join etl.windows w using (account_id, day)
        group by d.account_id, d.callset_id)
      select ${columns}
      from (
        select c.*, (
          select count(*) = 7 from etl.windows w
          where w.account_id = c.account_id and w.state = 'loaded' and w.day >= c.first_day - 7 and w.day < c.first_day
        ) as is_start_known
        from campaigns c) c
      order by 1, 2`)
  ).rows;

const account = fc.constantFrom(1, 2);
const day = fc.nat({ max: 12 });
const row = fc.record({
  id: fc.integer({ min: 1, max: 4 }),
  name: fc.constantFrom('spring', 'summer'),
  attempts: fc.constantFrom(5, 7, 0, null),
});
const started = { id: 5, name: 'autumn', attempts: 5 };
const rows = fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 4 });
const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('load' as const),
      account,
      day,
      isConfirmed: fc.boolean(),
      rows,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('mark' as const),
      account,
      day,
      state: fc.constantFrom('loaded', 'provisional'),
    }),
  },
  // Eight quiet days before a campaign, so that some starts are known.
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('start' as const), account, day }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'refresh' as const }) },
);

it('campaigns are what all rows of all days say, after any history', async () => {
  let known = 0;
  await fc.assert(
    fc
      .asyncProperty(fc.array(event, { minLength: 4, maxLength: 30 }), async (events) => {
        for (const each of [...events, { kind: 'refresh' as const }]) {
          if (each.kind === 'load') await load(each);
          if (each.kind === 'mark') await mark(each.account, each.day, each.state);
          if (each.kind === 'start')
            for (let ago = 8; ago >= 0; ago--)
              await load({
                account: each.account,
                day: each.day - ago,
                isConfirmed: true,
                rows: ago > 0 ? [] : [started],
              });
          if (each.kind !== 'refresh') continue;
          await refreshCampaigns(warehouse);
          const found = await kept();
          expect(found).toEqual(await aggregated());
          known += found.filter(({ is_start_known }) => is_start_known).length;
          await daysPass();
        }
      })
      .beforeEach(async () => {
        await client.query(
          `delete from etl.campaigns; delete from etl.campaign_days; delete from etl.windows;
         delete from etl.campaign_refresh`,
        );
      }),
    { numRuns: 40 },
  );
  expect(known).toBeGreaterThan(0);
});

describe('a campaign', () => {
  const spring = { id: 7, name: 'spring', attempts: 5 };

  it('of a transaction that was open at the last time is found the next time', async () => {
    await refreshCampaigns(warehouse);
    await load({ account: 1, day: 1, isConfirmed: true, rows: [spring] }, `now() - interval '23 hours'`);
    await refreshCampaigns(warehouse);
    expect(await kept()).toHaveLength(1);
  });

  it('keeps its cursor if nothing of it changed', async () => {
    await load({ account: 1, day: 1, isConfirmed: true, rows: [spring] });
    await refreshCampaigns(warehouse);
    const cursor = async () => (await client.query('select updated_at::text from warehouse.campaigns')).rows;
    const before = await cursor();
    await load({ account: 1, day: 2, isConfirmed: true, rows: [{ ...spring, attempts: 0 }] });
    await refreshCampaigns(warehouse);
    expect(await cursor()).toEqual(before);
  });

  it('of an account that is erased is gone, also while a refresh waits', async () => {
    for (const each of [1, 2]) await load({ account: each, day: 1, isConfirmed: true, rows: [spring] });
    await client.query('begin');
    await client.query('select from warehouse.accounts where account_id = 1 for update');
    const refreshed = refreshCampaigns(warehouse);
    await lockWaits(databaseUrl, 1);
    await client.query('delete from etl.campaign_days where account_id = 1');
    await client.query('delete from etl.windows where account_id = 1');
    await client.query('delete from warehouse.accounts where account_id = 1');
    await client.query('commit');
    await refreshed;
    expect(await kept()).toMatchObject([{ account_id: 2 }]);
    await forgetAccount(warehouse, { id: 2, name: 'coast', label: 'Coast' });
    expect(await kept()).toEqual([]);
  });
});
