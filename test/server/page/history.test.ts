import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { readState } from '../../../src/job/alerts/read-alerts.ts';
import { takeSamples } from '../../../src/server/metrics.ts';
import { readOverview } from '../../../src/server/page/overview.ts';
import { atInstant } from '../../support/nights.ts';
import { fill } from '../fill.ts';
import { openSite } from '../site.ts';

/**
 * How many rows of the ledger the page and a scrape read, with so many loaded days before those of `fill`.
 *
 * @param hole whether the first of all days failed, and no run can load it any more
 */
async function rowsRead(earlierDays: number, hole: boolean) {
  const site = await openSite();
  onTestFinished(() => site.close());
  await fill(site, ['north', 'coast', 'valley']);
  await site.query(
    `insert into etl.windows
       (account_id, day, state, synced_at, fetched_at, synced_run_date, same_since_run_date, settled, listed_campaigns, attempts)
     select account_id, first_expected_day - n, 'loaded', now(), now(), first_expected_day, first_expected_day - 1, true, 20, 12345
     from warehouse.accounts, generate_series(1, $1::integer) n`,
    [earlierDays],
  );
  await site.query(
    `with accounts as (
       update warehouse.accounts set first_expected_day = first_expected_day - $1::integer
       returning account_id, first_expected_day),
     failed as (
       update etl.windows w set state = 'failed', failed_at = now(), settled = false from accounts a
       where $2 and w.account_id = a.account_id and w.day = a.first_expected_day)
     insert into etl.complete_through
     select account_id, case when $2 then first_expected_day else (now() at time zone 'UTC')::date end - 1 from accounts
     on conflict (account_id) do update set complete_through_day = excluded.complete_through_day`,
    [earlierDays, hole],
  );
  await site.query('vacuum (analyze) etl.windows');
  const environment = {
    SERVICE_BASE_URL: 'https://service.example',
    SIDTOKEN: 'token',
    DATABASE_URL: site.databaseUrl,
  };
  return await atInstant({ environment }, Temporal.Now.instant().toString(), (app) =>
    // A session knows at once what it read itself.
    app.warehouse.connection().execute(async (one) => {
      const time = { now: app.clock(), timeZone: 'UTC', nextRun: null, installation: 'here' };
      const count = async (read: () => Promise<unknown>) => {
        await sql`select pg_stat_reset_single_table_counters('etl.windows'::regclass)`.execute(one);
        await read();
        await sql`select pg_stat_force_next_flush()`.execute(one);
        const { rows } = await sql<{ read: number }>`
          select (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as read
          from pg_stat_all_tables where relid = 'etl.windows'::regclass`.execute(one);
        return rows[0]!.read;
      };
      return {
        page: await count(async () => readOverview(one, time, await readState(one, app))),
        scrape: await count(async () => takeSamples(one, app, await readState(one, app))),
      };
    }),
  );
}

it.each([
  ['', false],
  [' with a hole at their beginning', true],
])(
  'page and scrape read as many days of the ledger beside three years%s as beside three months',
  async (_, hole) => {
    const [few, many] = [await rowsRead(1, hole), await rowsRead(1_000, hole)];
    for (const name of ['page', 'scrape'] as const) {
      expect(few[name]).toBeGreaterThan(90);
      expect(many[name]).toBeLessThanOrEqual(1.1 * few[name]);
    }
  },
);
