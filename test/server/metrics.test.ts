import { expect, it, onTestFinished } from 'vitest';
import { alertCodes } from '../../src/job/alerts/conditions/catalogue.ts';
import { metrics } from '../../src/server/metrics.ts';
import { type Metric, parseExposition } from './exposition.ts';
import { addProblems, fill } from './fill.ts';
import { type FilledSite, openSite, type Site, serve } from './site.ts';

async function open(): Promise<FilledSite> {
  const site = await openSite();
  onTestFinished(() => site.close());
  return site;
}

const scrape = async (site: Site) => parseExposition(await site.text('/metrics'));

/** Values by their labels, written `account state`. */
const values = (metric: Metric | undefined) =>
  Object.fromEntries(metric!.samples.map(({ labels, value }) => [Object.values(labels).join(' '), value]));

it('names follow the conventions: our prefix, units at the end', async () => {
  for (const [name, { help }] of Object.entries(metrics)) {
    expect(name).toMatch(/^callsheet_[a-z]+(_[a-z]+)*$/);
    // A total is a counter's.
    expect(name).not.toMatch(/_total$/);
    expect(help).toMatch(/^[A-Z].*\.$/);
    if (/time|duration/.test(name)) expect(name).toMatch(/_seconds$/);
  }
});

it('an empty warehouse only shows that it can be read', async () => {
  const site = await open();
  // Set up after every scheduled time, even at 06:30.
  await site.query(`update etl.migrations set timestamp = '2100-01-01T00:00:00Z'`);
  const scraped = await scrape(site);
  expect([...scraped.keys()]).toEqual([
    'callsheet_database_up',
    'callsheet_run_running',
    'callsheet_active_alerts',
    'callsheet_unsent_deliveries',
  ]);
  expect(values(scraped.get('callsheet_database_up'))).toEqual({ '': 1 });
});

it('every metric has its values from the warehouse', async () => {
  const site = await open();
  await fill(site, ['north', 'coast "south"\\']);
  await addProblems(site, 'north');
  await site.query(`update etl.migrations set timestamp = '2026-01-01T00:00:00Z'`);
  const { headers } = await site.get('/metrics');
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const scraped = await scrape(site);
  expect([...scraped.keys()].sort()).toEqual(Object.keys(metrics).sort());
  for (const { name, type, help } of scraped.values()) expect({ kind: type, help }).toMatchObject(pick(name));

  const [success] = await site.query<{ at: string }>(
    `select extract(epoch from max(finished_at))::text as at from etl.runs where outcome = 'done'`,
  );
  const midnight = await lastMidnight(site);
  expect(values(scraped.get('callsheet_complete_through_timestamp_seconds'))).toEqual({
    'coast "south"\\': midnight,
    north: midnight - 31 * 86_400,
  });
  const single = (name: string) => scraped.get(name)!.samples[0]!.value;
  // Half past six in UTC, by default.
  expect(single('callsheet_last_scheduled_timestamp_seconds') % 86_400).toBe(6.5 * 3_600);
  expect(single('callsheet_last_success_timestamp_seconds')).toBeCloseTo(Number(success!.at), 2);
  expect(single('callsheet_last_run_duration_seconds')).toBeCloseTo(200, 2);
  expect(single('callsheet_last_run_exit_code')).toBe(77);
  expect(values(scraped.get('callsheet_windows'))).toMatchObject({
    'north loaded': 26,
    'north provisional': 2,
    'north failed': 1,
    'north missing': 2,
    'coast "south"\\ loaded': 31,
    'coast "south"\\ missing': 0,
  });
  expect(values(scraped.get('callsheet_flagged_windows'))).toEqual({
    held: 1,
    settling: 3,
    restated: 1,
  });
  const alerts = Object.entries(values(scraped.get('callsheet_active_alerts')));
  expect(alerts.map(([code]) => code)).toEqual(
    alertCodes.flatMap((code) => [`${code} to do`, `${code} to check`]),
  );
  expect(Object.fromEntries(alerts.filter(([, value]) => value > 0))).toEqual({
    'TOKEN_REFUSED to do': 1,
    'WALK_INCOMPLETE to check': 1,
    'DAYS_NOT_LOADED to check': 1,
    'RESPONSE_HELD to check': 1,
    'DAYS_PROVISIONAL to check': 1,
    'RECORDS_QUARANTINED to check': 1,
    'MAIL_GIVEN_UP to do': 1,
    'MAIL_UNKNOWN to do': 1,
    'MAIL_FAILED to check': 1,
  });
  expect(values(scraped.get('callsheet_rejects'))).toEqual({ 'coast "south"\\': 0, north: 1 });
  expect(values(scraped.get('callsheet_requests'))).toEqual({
    'campaignSummary 200 loaded': 2,
    'campaignSummary 401 discarded': 1,
    'campaignSummary none discarded': 1,
  });
  expect(values(scraped.get('callsheet_unsent_deliveries'))).toEqual({
    pending: 0,
    sending: 0,
    failed: 1,
    given_up: 1,
    unknown: 1,
  });
});

it('over 50 accounts have totals in place of their own values', async () => {
  const site = await open();
  const names = Array.from({ length: 51 }, (_, n) => `office ${n}`);
  await fill(site, names);
  await addProblems(site, 'office 7');
  const scraped = await scrape(site);
  expect(values(scraped.get('callsheet_windows'))).toEqual({
    loaded: 51 * 31 - 5,
    provisional: 2,
    failed: 1,
    missing: 2,
  });
  expect(values(scraped.get('callsheet_flagged_windows'))).toMatchObject({ held: 1, settling: 3 });
  expect(values(scraped.get('callsheet_rejects'))).toEqual({ '': 1 });
  // That of the account that is furthest behind. One of which nothing is loaded has none.
  await site.query(`insert into warehouse.accounts (name, label, time_zone) values ('new', 'new', 'UTC')`);
  const text = await site.text('/metrics');
  expect(values(parseExposition(text).get('callsheet_complete_through_timestamp_seconds'))).toEqual({
    '': (await lastMidnight(site)) - 31 * 86_400,
  });
  expect(text).not.toContain('account=');
  await site.query(
    `update warehouse.accounts set last_expected_day = first_expected_day where name = 'office 8'`,
  );
  await site.query(`delete from warehouse.accounts where name = 'new'`);
  const left = names.filter((name) => name !== 'office 8').sort();
  expect(Object.keys(values((await scrape(site)).get('callsheet_rejects'))).sort()).toEqual(left);
});

it('metrics are the same after a restart, and leave out retired accounts', async () => {
  const site = await open();
  await fill(site, ['north', 'coast']);
  const before = await site.text('/metrics');
  const restarted = await serve(site.databaseUrl);
  expect(await restarted.text('/metrics')).toBe(before);
  await site.query(
    `update warehouse.accounts set last_expected_day = first_expected_day where name = 'coast'`,
  );
  expect(await restarted.text('/metrics')).not.toContain('coast');
  await restarted.close();
});

it('a dated run, or a partial one, is no success', async () => {
  const site = await open();
  await fill(site, ['north']);
  const success = async () =>
    (await scrape(site)).get('callsheet_last_success_timestamp_seconds')!.samples[0]!.value;
  const before = await success();
  for (const [kind, command, outcome] of [
    ['dated', 'run --day 2026-03-02', 'done'],
    ['dated', 'run --account north', 'done'],
    ['accept', 'accept --day 2026-03-02', 'done'],
    ['backfill', 'backfill --from 2026-03-02 --to 2026-03-03', 'done'],
    ['nightly', 'schedule', 'partial'],
  ]) {
    await site.query(
      `insert into etl.runs (kind, command, run_date, finished_at, host, process_id, outcome, exit_code) values ($1, $2, now(), now(), 'here', 1, $3, 0)`,
      [kind, command, outcome],
    );
    expect([command, await success()]).toEqual([command, before]);
  }
  await site.query(
    `insert into etl.runs (kind, command, run_date, finished_at, host, process_id, outcome, exit_code) values ('nightly', 'run', now(), now(), 'here', 1, 'done', 0)`,
  );
  expect(await success()).toBeGreaterThan(before);
});

async function lastMidnight(site: FilledSite): Promise<number> {
  const [row] = await site.query<{ at: string }>(
    `select extract(epoch from (now() at time zone 'UTC')::date)::text as at`,
  );
  return Number(row!.at);
}

function pick(name: string) {
  const { help } = metrics[name as keyof typeof metrics];
  return { kind: 'gauge', help };
}
