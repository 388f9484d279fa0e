/*
 * What fills a warehouse. Everything is scattered by hashes of ids and days, so that two fills are the same; a
 * campaign is called for twenty days, as by the stand-in. $1 and $2 are the first and the last day.
 */

/** Clients that each account lists, and after how many days each of them has another balance. */
const clientsEach = 2_000;
const balanceDays = 30;

const epochDay = (day: string) => `(${day} - date '1970-01-01')`;
const morningAfter = (day: string) => `(${day} + time '06:30' + interval '1 day') at time zone 'UTC'`;
const scattered = (id: string) => `(hashint8(${id}) & 2147483647)`;

export const setUp = `
  insert into etl.runs (kind, command, run_date, host, process_id, outcome, exit_code, finished_at)
    values ('nightly', 'bench', current_date, 'bench', 0, 'done', 0, now())`;

export const clients = [
  `insert into warehouse.clients
     (account_id, client_id, name, checksum, balance, first_seen_at, name_since, balance_since, changed_at)
   select a.account_id, a.account_id * 1000000 + n, 'Client ' || a.account_id || '-' || n,
     lpad(${scattered('a.account_id * 1000000 + n')}::text, 10, '0'),
     (${scattered('a.account_id * 1000000 + n + $2::date - $1::date')} % 1000000) / 100.0,
     ${morningAfter('$1::date')}, ${morningAfter('$1::date')}, $2::date, ${morningAfter('$2::date')}
   from warehouse.accounts a, generate_series(1, ${clientsEach}) n`,
  `insert into etl.past_client_balances (account_id, client_id, day, balance)
   select c.account_id, c.client_id, d::date,
     (${scattered(`c.client_id + ${epochDay('d::date')}`)} % 1000000) / 100.0
   from generate_series($1::date, $2::date - 1, interval '${balanceDays} days') d, warehouse.clients c
   order by d, c.account_id, c.client_id`,
];

const callsetId = (day: string) =>
  `a.account_id * 1000000000::bigint + slot * 100000 + (${epochDay(day)} + slot) / 20`;

/** $3 is the number of campaigns a day. */
export const campaigns = `
  insert into warehouse.campaigns (account_id, callset_id, name, first_day, last_day)
  select a.account_id, a.account_id * 1000000000::bigint + slot * 100000 + period, 'Reminders ' || slot || ' of ' || period,
    greatest($1::date, date '1970-01-01' + period * 20 - slot),
    least($2::date, date '1970-01-01' + period * 20 - slot + 19)
  from warehouse.accounts a, generate_series(0, $3::integer - 1) slot,
    generate_series((${epochDay('$1::date')} + slot) / 20, (${epochDay('$2::date')} + slot) / 20) period
  order by 1, 2`;

/** The rows of a span of days, in the order of the nights; $3 is the number of campaigns a day. */
export const campaignDays = `
  insert into warehouse.campaign_days
    (account_id, day, callset_id, campaign, attempts, busies, connects, live_answers, loaded_at, restated_at, withdrawn_at)
  select account_id, day, callset_id, 'Reminders ' || slot || ' of ' || callset_id % 100000,
    20 + h % 1000, (20 + h % 1000) / 10, (20 + h % 1000) / 2, (20 + h % 1000) / 3,
    ${morningAfter('day')},
    case when h % 250 = 7 then ${morningAfter('day + 1')} end,
    case when h % 5000 = 7 then ${morningAfter('day + 1')} end
  from (
    select a.account_id, d::date as day, slot, ${callsetId('d::date')} as callset_id,
      ${scattered(`(${callsetId('d::date')}) * 31 + ${epochDay('d::date')}`)} as h
    from generate_series($1::date, $2::date, interval '1 day') d, warehouse.accounts a,
      generate_series(0, $3::integer - 1) slot) r
  order by day, account_id, slot`;

/** What follows from the rows of a span of days. */
export const afterCampaignDays = [
  `insert into warehouse.campaign_day_restatements
     (account_id, day, callset_id, restated_at, reason, campaign, attempts, busies, connects, live_answers, loaded_at)
   select account_id, day, callset_id, restated_at, case when withdrawn_at is null then 'changed' else 'withdrawn' end,
     campaign, attempts - 3, busies, connects, live_answers, loaded_at
   from warehouse.campaign_days where day between $1 and $2 and restated_at is not null`,
  `insert into warehouse.account_days
     (account_id, day, campaigns, attempts, busies, connects, live_answers, provisional, loaded_at)
   select account_id, day, count(*), sum(attempts), sum(busies), sum(connects), sum(live_answers), false, max(loaded_at)
   from warehouse.campaign_days where day between $1 and $2 and withdrawn_at is null
   group by account_id, day order by day, account_id`,
  `insert into etl.windows
     (account_id, day, state, fetched_at, loaded_at, run_id, content_hash, synced_run_date, same_since_run_date)
   select account_id, day, 'loaded', loaded_at, loaded_at, 1, md5(account_id || '/' || day), day + 4, day + 2
   from warehouse.account_days where day between $1 and $2 order by day, account_id`,
  `insert into etl.response_bodies (sha256, size, zstd, referenced_at)
   select sha256((account_id || '/' || day)::bytea), 90000, sha256((day || '/' || account_id)::bytea), ${morningAfter('day')}
   from warehouse.account_days where day between $1 and $2`,
  `insert into etl.responses
     (run_id, account_id, operation, day, question, fetched_at, status, sha256, decided, decided_at)
   select 1, account_id, 'campaignSummary', day, '{}', loaded_at, 200, sha256((account_id || '/' || day)::bytea), 'loaded', loaded_at
   from warehouse.account_days where day between $1 and $2 order by day, account_id`,
];
