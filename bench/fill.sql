-- Fills a migrated warehouse like years of runs. Figures are hashes of ids and days, so two fills are the same. A campaign
-- runs for twenty days, as in the fixed responses.

-- Skips the checks of foreign keys: all rows fit, and 38 million checks take long.
set session_replication_role = replica;
set synchronous_commit = off;
set work_mem = '256MB';

create function pg_temp.scattered(id bigint) returns bigint immutable language sql
  return hashint8(id)::bigint & 2147483647;
create function pg_temp.epoch_day(day date) returns integer immutable language sql
  return day - date '1970-01-01';
create function pg_temp.morning_after(day date) returns timestamptz immutable language sql
  return (day + time '06:30' + interval '1 day') at time zone 'UTC';

-- Inserts accounts with so many clients each, whose balances change every 30 days. The first account lists the others as its
-- clients.
create procedure pg_temp.fill_accounts(accounts integer, clients integer, first_day date, last_day date) begin atomic
  insert into warehouse.accounts (name, label, time_zone, first_expected_day)
  select 'account-' || n, 'account-' || n, 'UTC', first_day from generate_series(1, accounts) n order by n;
  update warehouse.accounts set listed_by_account_id = 1, listed_client_id = 1000000 + account_id where account_id > 1 and listed_client_id is null;
  insert into etl.runs (kind, command, run_date, host, process_id, outcome, exit_code, finished_at)
  values ('nightly', 'bench', current_date, 'bench', 0, 'done', 0, now());
  insert into warehouse.clients
    (account_id, client_id, name, checksum, balance, first_seen_at, balance_first_day, updated_at)
  select account_id, id, 'Client ' || account_id || '-' || id % 1000000,
    lpad(pg_temp.scattered(id)::text, 10, '0'), (pg_temp.scattered(id + last_day - first_day) % 1000000) / 100.0,
    pg_temp.morning_after(first_day), last_day, pg_temp.morning_after(last_day)
  from warehouse.accounts a, generate_series(account_id * 1000000 + 1, account_id * 1000000 + clients) id
  where accounts > 0;
  insert into etl.past_client_balances (account_id, client_id, day, balance, next_day, replaced_at)
  select account_id, c.client_id, d::date,
    (pg_temp.scattered(c.client_id + pg_temp.epoch_day(d::date)) % 1000000) / 100.0, least(d::date + 30, last_day),
    pg_temp.morning_after(least(d::date + 30, last_day))
  from generate_series(first_day, last_day - 1, interval '30 days') d, warehouse.clients c
  where accounts > 0
  order by d, account_id, c.client_id;
end;

-- Inserts all rows of these days, with the number of campaigns for each account.
create procedure pg_temp.fill_days(first_day date, last_day date, campaigns integer) begin atomic
  insert into etl.campaign_days
    (account_id, day, callset_id, campaign, attempts, busies, connects, live_answers, loaded_at, restated_at, withdrawn_at)
  select account_id, filled, id, 'Reminders ' || n || ' of ' || id % 100000, h.attempts, h.attempts / 10,
    h.attempts / 2, h.attempts / 3, pg_temp.morning_after(filled),
    case when hash % 250 = 7 then pg_temp.morning_after(filled + 1) end,
    case when hash % 5000 = 7 then pg_temp.morning_after(filled + 1) end
  from generate_series(0, last_day - first_day) p, lateral (values (first_day + p)) d (filled),
    warehouse.accounts, generate_series(0, campaigns - 1) n,
    lateral (values (account_id * 1000000000::bigint + n * 100000::bigint + (pg_temp.epoch_day(filled) + n) / 20)) i (id),
    lateral (values (pg_temp.scattered(id * 31 + pg_temp.epoch_day(filled)))) s (hash),
    lateral (values (20 + hash % 1000)) h (attempts)
  order by filled, account_id, n;
  insert into warehouse.campaign_day_restatements
    (account_id, day, callset_id, restated_at, reason, campaign_before, attempts_before, busies_before, connects_before, live_answers_before, loaded_at)
  select account_id, day, callset_id, restated_at, case when withdrawn_at is null then 'changed' else 'withdrawn' end,
    campaign, attempts - 3, busies, connects, live_answers, loaded_at
  from etl.campaign_days where day between first_day and last_day and restated_at is not null;
  insert into etl.windows
    (account_id, day, state, fetched_at, synced_at, first_loaded_at, confirmed_at, updated_at, run_id, content_hash, synced_run_date,
      same_since_run_date, settled, listed_campaigns, active_campaigns, attempts_unreported_campaigns, attempts, busies, connects, live_answers,
      connect_rate_connects, connect_rate_attempts, live_answer_rate_live_answers, live_answer_rate_attempts,
      busy_rate_busies, busy_rate_attempts)
  select account_id, day, 'loaded', max(loaded_at), max(loaded_at), max(loaded_at), max(loaded_at), max(loaded_at), 1,
    md5(account_id || '/' || day), day + 4, day + 2, true, count(*), count(*), 0, sum(attempts), sum(busies), sum(connects),
    sum(live_answers), sum(connects), sum(attempts), sum(live_answers), sum(attempts), sum(busies), sum(attempts)
  from etl.campaign_days where day between first_day and last_day and withdrawn_at is null
  group by account_id, day order by day, account_id;
  insert into etl.past_account_days
    (account_id, day, restated_at, changed_campaigns, attempts_before, attempts_after, connects_before, connects_after, loaded_at)
  select account_id, day, r.restated_at, count(*), min(s.attempts) - 3 * count(*), min(s.attempts), min(s.connects), min(s.connects),
    min(s.first_loaded_at)
  from warehouse.campaign_day_restatements r join warehouse.account_days s using (account_id, day)
  where day between first_day and last_day group by account_id, day, r.restated_at order by day, account_id;
  insert into etl.response_bodies (sha256, size, zstd, referenced_at)
  select sha256((account_id || '/' || day)::bytea), 90000, sha256((day || '/' || account_id)::bytea), synced_at
  from warehouse.account_days where day between first_day and last_day;
  insert into etl.responses
    (run_id, account_id, operation, day, request, fetched_at, status, sha256, decision, decided_at)
  select 1, account_id, 'campaignSummary', day, '{}', synced_at, 200, sha256((account_id || '/' || day)::bytea),
    'loaded', synced_at
  from warehouse.account_days where day between first_day and last_day order by day, account_id;
end;
