import fc from 'fast-check';
import type pg from 'pg';

const count = fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 0, max: 400 }) }, fc.constant(null));
const campaign = fc.record({
  id: fc.integer({ min: 1, max: 12 }),
  attempts: count,
  busies: count,
  connects: count,
  live: count,
  withdrawn: fc.constantFrom(...Array<boolean>(9).fill(false), true),
});
/** What is loaded of an account on a day. */
export const randomWindow = fc.record({
  state: fc.constantFrom(...Array<string>(30).fill('loaded'), 'provisional', 'failed'),
  campaigns: fc.uniqueArray(campaign, { selector: ({ id }) => id, maxLength: 9 }),
});
/** Loads these windows alone, from that day back, one of each of two accounts a day. */
export async function fillWarehouse(
  client: pg.Client,
  day: string,
  windows: readonly (typeof randomWindow extends fc.Arbitrary<infer T> ? T : never)[],
) {
  await client.query('truncate etl.campaign_days, warehouse.account_days, etl.windows cascade');
  const rows = windows.map((each, index) => ({
    ...each,
    account: (index % 2) + 1,
    ago: Math.floor(index / 2),
    campaigns: each.state === 'failed' ? [] : each.campaigns,
  }));
  await client.query(
    `insert into etl.windows (account_id, day, state)
     select account, $1::date - ago, state from jsonb_to_recordset($2) r (account integer, ago integer, state text)`,
    [day, JSON.stringify(rows)],
  );
  await client.query(
    `insert into etl.campaign_days
       (account_id, day, callset_id, campaign, attempts, busies, connects, live_answers, loaded_at, withdrawn_at)
     select account, $1::date - ago, id, 'campaign ' || id, attempts, busies, connects, live, now(),
       case when withdrawn then now() end
     from jsonb_to_recordset($2) r (account integer, ago integer, campaigns jsonb),
       jsonb_to_recordset(campaigns) c (id bigint, attempts bigint, busies bigint, connects bigint, live bigint, withdrawn boolean)`,
    [day, JSON.stringify(rows)],
  );
  await client.query(
    `insert into warehouse.account_days (account_id, day, campaigns, attempts, busies, connects, live_answers, provisional, loaded_at)
     select w.account_id, w.day, count(c.callset_id), sum(attempts), sum(busies), sum(connects), sum(live_answers),
       w.state = 'provisional', now()
     from etl.windows w left join etl.campaign_days c
       on c.account_id = w.account_id and c.day = w.day and c.withdrawn_at is null
     where w.state <> 'failed' group by w.account_id, w.day`,
  );
}
