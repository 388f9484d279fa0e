import { expect } from 'vitest';
import type { World } from './world.ts';

/**
 * Finds contradictions between ledger, rows, sums, coverage and outbox; there are none at any time of any run, killed or not. It is
 * one statement, so that it reads one snapshot.
 *
 * @param minWindows how many windows the ledger has at least: a run that was killed may have left none
 */
export async function disagreements(world: Pick<World, 'query'>, minWindows = 1): Promise<unknown[]> {
  const windows = await world.query('select from etl.windows');
  expect(windows.length, 'windows').toBeGreaterThanOrEqual(minWindows);
  return await world.query(`
    with current_rows as (
      select account_id, day, count(*) as campaigns, sum(attempts) as attempts, sum(busies) as busies,
        sum(connects) as connects, sum(live_answers) as live_answers,
        sum(connects) filter (where attempts is not null)
          / nullif(sum(attempts) filter (where connects is not null), 0) as connect_rate
      from etl.campaign_days where withdrawn_at is null group by account_id, day)
    select 'sums without a loaded window, or the reverse' as wrong, account_id, day::text
    from etl.windows w full join warehouse.account_days s using (account_id, day)
    where coalesce(w.state in ('loaded', 'provisional'), false) <> (s.listed_campaigns is not null)
      or (w.state = 'provisional') <> (s.provisional_reason is not null)
    union all
    select 'sums that are not those of the rows', account_id, day::text
    from warehouse.account_days s full join current_rows d using (account_id, day)
    cross join lateral (select case when d.campaigns is null then 0 end as zero) z
    where (s.listed_campaigns, s.attempts, s.busies, s.connects, s.live_answers, s.connect_rate) is distinct from
      (coalesce(d.campaigns, 0), coalesce(d.attempts, z.zero), coalesce(d.busies, z.zero), coalesce(d.connects, z.zero),
        coalesce(d.live_answers, z.zero), d.connect_rate)
    union all
    select 'a restatement of a campaign without a row', account_id, day::text
    from warehouse.campaign_day_restatements r left join etl.campaign_days d using (account_id, day, callset_id)
    where d.day is null
    union all
    select 'a window that is loaded without hash or time, or the reverse', account_id, day::text
    from etl.windows
    where (state = 'failed') <> (content_hash is null) or (state = 'failed') <> (synced_at is null)
      or (state = 'loaded') <> (confirmed_at is not null)
    union all
    select 'a flag without its reason, or the reverse', account_id, day::text
    from warehouse.coverage
    where (reason_code is not null or held or state = 'provisional') <> (reason is not null)
    union all
    select 'a mail without deliveries, or that has nothing of its period', null, day::text
    from etl.mails g
    where not exists (select from etl.deliveries d where d.mail_id = g.mail_id)
      or not exists (select from etl.mailed_periods p where p.mail_id = g.mail_id and p.day = g.day)`);
}
