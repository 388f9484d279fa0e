import { hostname } from 'node:os';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { lockWaits } from '../../support/database.ts';
import { addBackfill, addDigest, addOutage, addProblems, addRunning, fill, offices } from '../fill.ts';
import { type FilledSite, openSite, readPages } from '../site.ts';

let site: FilledSite;
let page: string;
beforeAll(async () => {
  site = await openSite({ nextRun: () => Temporal.Now.instant().add({ hours: 3, minutes: 12, seconds: 5 }) });
  await fill(site, ['north', 'coast', 'Büro 10.1']);
  await addProblems(site, 'coast');
  await addBackfill(site);
  page = await site.text('/');
});
afterAll(() => site.close());

/** The text of a page, without its tags. */
const read = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');

it('has relative addresses alone: a proxy may serve it under a path', () => {
  const addresses = [...page.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, address]) => address!);
  expect(addresses.length).toBeGreaterThan(4);
  const base = 'https://proxy.example.com/callsheet/';
  for (const address of addresses) expect(new URL(address, base).href).toMatch(new RegExp(`^${base}`));
});

const daysAgo = (ago: number) => Temporal.Now.plainDateISO('UTC').subtract({ days: ago });
const named = (ago: number) =>
  daysAgo(ago)
    .toLocaleString('en-US', { weekday: 'short', day: 'numeric', month: 'short' })
    .replace(/(\w+), (\w+) (\d+)/, '$1 $3 $2');

/** The description of a day in the calendar. */
function label(html: string, account: string, ago: number): string {
  const found = new RegExp(
    `<span class="([^"]+)" data-day="${account} ${daysAgo(ago)}"[^>]* aria-label="([^"]+)"></span>`,
  ).exec(html);
  return `[${found?.[1]}] ${found?.[2]?.replaceAll('&#39;', "'")}`;
}

/** The accounts of the calendar's rows, in their order. */
const rows = (html: string) => [...html.matchAll(/<th scope="row">(.*?) <span/g)].map(([, name]) => name);

describe('the operator’s page', () => {
  it('says in one sentence what is wrong, and when the next run is', () => {
    expect(page).toContain(
      `<h1>3 to do: token refused (Coast &amp; Sons); mail given up (ben@example.com); mail may not have arrived (dan@example.com); 6 to check</h1>`,
    );
    expect(read(page)).toMatch(
      /Digest of .* sent to 1 of 4 at .*\. Next run \w{3} \d+ \w+, \d\d:\d\d UTC, in 3 h 12 min\./,
    );
    expect(read(page)).toContain(`Callsheet ${manifest.version} on ${hostname()}. Times are in UTC.`);
  });

  it('has every day that runs catch up on, and why it is marked', () => {
    const count = (account: string) => page.match(new RegExp(`data-day="${account} `, 'g'))!.length;
    expect([count('north'), count('coast')]).toEqual([31, 31]);
    expect(label(page, 'north', 1)).toBe(`[loaded] ${named(1)}: loaded`);
    expect(label(page, 'coast', 1)).toBe(`[loaded settling] ${named(1)}: loaded, settling`);
    expect(label(page, 'coast', 2)).toBe(
      `[failed] ${named(2)}: failed: the service refuses the session token (401): put a new one into SIDTOKEN`,
    );
    expect(label(page, 'coast', 3)).toBe(`[provisional] ${named(3)}: provisional: the day was not over`);
    expect(label(page, 'coast', 6)).toMatch(
      /^\[loaded held\] .*: loaded, held: 40 attempts instead of 12,345/,
    );
    expect(label(page, 'coast', 9)).toBe(
      `[provisional] ${named(9)}: provisional: no calls, on a weekday that usually has some`,
    );
    expect(label(page, 'coast', 12)).toBe(`[loaded restated] ${named(12)}: loaded, restated`);
    expect(label(page, 'coast', 30)).toBe(`[missing] ${named(30)}: missing`);
    expect(page).not.toContain(`${daysAgo(32)}"`);
  });

  it('has the account with alerts first, with a link to each of its alerts', () => {
    expect(rows(page)).toEqual(['Coast &amp; Sons', 'Büro 10.1', 'north']);
    const [, row] = /<th scope="row">Coast(.*?)<\/th>/s.exec(page)!;
    const links = [...row!.matchAll(/<a href="#([^"]+)">([^<]+)<\/a>/g)];
    expect(links.map(([, key, text]) => `${key}: ${text!.replace('&#39;', "'")}`)).toEqual([
      'TOKEN_REFUSED: token refused',
      'DAYS_NOT_LOADED: days not loaded',
      'WALK_INCOMPLETE: client list incomplete',
      'RESPONSE_HELD/halved: figures kept',
      "RECORDS_QUARANTINED: records can't be read",
      'DAYS_PROVISIONAL/r-e0f78b: provisional figures',
    ]);
    for (const [, key] of links) expect(page).toContain(`id="${key}"`);
  });

  it('shows the last runs with their causes, and unsent mail in its alerts', () => {
    const text = read(page);
    expect(text).toContain(
      'run 3 min 20 s · 2 days loaded Coast & Sons, Thu 19 Nov; Coast & Sons, Wed 18 Nov: the service refuses the session token (401)',
    );
    expect(text).toMatch(/done \w{3} \d+ \w{3}, \d\d:\d\d schedule 41 s · 3 days loaded/);
    expect(text).toMatch(/done \w{3} \d+ \w{3}, \d\d:\d\d backfill 1 h · 90 days loaded/);
    expect(text).toMatch(/Mail given up: ben@example.com, Campaigns of .*"550 5\.1\.1 no such user here"/);
    expect(text).not.toContain(': ana@example.com');
    expect(page).toContain('&lt;b&gt;Spring&lt;/b&gt;');
    expect(page).not.toContain('<b>');
  });
});

it('a green page says how the newest digest went, each recipient once, and nothing of what is empty', async () => {
  const good = await openSite();
  await fill(good, ['north']);
  expect(read(await good.text('/'))).toContain(
    `All good: every day is loaded through ${named(1)}.No digest has been built yet. No run is scheduled.`,
  );
  await addDigest(good);
  const line = `All good: digest of ${named(1)} sent to 2 of 2 at 06:31.Every day is loaded through ${named(1)}.`;
  expect(read(await good.text('/'))).toContain(line);
  await good.query(
    `with corrected as (
       insert into etl.mails (name, every, number, day, correction, subject, mime, built_at)
       select name, every, 2, day, 1, subject, mime, built_at from etl.mails returning mail_id)
     insert into etl.deliveries (mail_id, recipient, message_id, state, changed_at)
     select c.mail_id, d.recipient, d.recipient || '2', d.state, d.changed_at from corrected c, etl.deliveries d`,
  );
  await good.query(`insert into etl.mailed_periods (name, every, day, state)
    values ('Campaigns', 'day', (now() at time zone 'UTC')::date, 'skipped')`);
  const green = await good.text('/');
  expect(read(green)).toContain(line);
  expect(read(green)).not.toMatch(/all mail|to do|running/i);
  await good.close();
});

it('a run that has not ended is running while it holds the lock, and else was killed', async () => {
  const unended = await openSite();
  await fill(unended, ['north']);
  await addDigest(unended);
  await addRunning(unended);
  const text = read(await unended.text('/'));
  expect(text).toMatch(/running \w{3} \d+ \w{3}, \d\d:\d\d schedule/);
  expect(text).toMatch(
    /All good: digest of .* sent to 2 of 2 at 06:31\.Running since \d\d:\d\d\. Every day is loaded/,
  );
  await unended.query('rollback');
  const killed = read(await unended.text('/'));
  expect(killed).toMatch(/killed \w{3} /);
  expect(killed).toContain('1 to check: last run interrupted');
  await unended.close();
});

it('a run that ends while the page is read is not interrupted', async () => {
  const ending = await openSite();
  await fill(ending, ['north']);
  await addRunning(ending);
  const client = new pg.Client({ connectionString: ending.databaseUrl });
  await client.connect();
  // The page has begun its snapshot, and waits before it looks at the run lock.
  await client.query('begin; lock table etl.windows in access exclusive mode');
  const reading = [ending.text('/'), ending.text('/metrics')];
  await lockWaits(ending.databaseUrl, 2);
  await ending.query('rollback');
  await client.query(
    `update etl.runs set finished_at = now(), outcome = 'done', exit_code = 0 where finished_at is null`,
  );
  await client.query('commit');
  await client.end();
  const [page, metrics] = await Promise.all(reading);
  expect(read(page!)).toContain('All good');
  expect(metrics).toContain('callsheet_active_alerts{code="DAYS_NOT_LOADED",kind="to check"} 0');
  await ending.close();
});

it('an account with an error comes before one with more warnings', async () => {
  const unequal = await openSite();
  await fill(unequal, ['doubtful', 'failed']);
  const change = (name: string, ago: number, set: string) =>
    unequal.query(
      `update etl.windows set ${set} where day = (now() at time zone 'UTC')::date - $2::int
       and account_id = (select account_id from warehouse.accounts where name = $1)`,
      [name, ago],
    );
  const held = `held_hash = 'abc', held_code = 'halved', held_since = now()`;
  await change('doubtful', 6, `${held}, held_reason = '1 campaign instead of 20'`);
  await change(
    'doubtful',
    9,
    `state = 'provisional', anomalies = '[{"code": "no_calls", "confirmedBy": null}]', provisional_reason = 'no calls'`,
  );
  await change(
    'failed',
    2,
    `state = 'failed', synced_at = null, failed_at = now(), error = 'away', error_code = 'SERVICE_UNAVAILABLE'`,
  );
  expect(rows(await unequal.text('/'))).toEqual(['failed', 'doubtful']);
  await unequal.close();
});

/** Rows that a healthy page reads. */
async function rowsRead(good: FilledSite): Promise<number> {
  for (const statement of ['vacuum analyze', 'select pg_stat_force_next_flush()', 'select pg_stat_reset()'])
    await good.query(statement);
  const [html] = await readPages(good.databaseUrl, ['/']);
  expect(html).toContain('All good');
  // A session counts what it read when it ends.
  const sessions = () =>
    good.query(`select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`);
  await expect.poll(sessions).toEqual([]);
  const [row] = await good.query<{ rows: number }>(
    'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as rows from pg_stat_user_tables',
  );
  return row!.rows;
}

describe('of many accounts', () => {
  it('those that need attention have a row, and those that are alike share one', async () => {
    const many = await openSite();
    await fill(many, offices(2_000));
    // A few rows of each account, and not its hundred days.
    expect((await rowsRead(many)) / 2_000).toBeLessThan(25);
    await addProblems(many, 'office 1977');
    const change = (name: string, set: string) =>
      many.query(
        `update etl.windows set ${set} where day = (now() at time zone 'UTC')::date - 1
         and account_id = (select account_id from warehouse.accounts where name = $1)`,
        [name],
      );
    const soft = 'settled = false, same_since_run_date = day + 1';
    await change('office 1500', `${soft}, listed_campaigns = 0, attempts = 0`);
    await change('office 1400', `${soft}, attempts = attempts / 5`);
    await change(
      'office 1300',
      `${soft}, state = 'provisional', anomalies = '[{"code": "no_calls", "confirmedBy": null}]'`,
    );
    const html = await many.text('/');
    expect(rows(html)).toEqual([
      'Coast &amp; Sons',
      'office 1300',
      'office 1500',
      'office 1400',
      '1,996 accounts',
    ]);
    expect(read(html)).toContain(`${named(1)}: no calls, −100% vs a typical ${named(1).slice(0, 3)}`);
    expect(read(html)).toContain(
      '1,996 accounts with the same days, nothing to doShow accountsoffice 0, office 1, office 2',
    );
    expect(html.length).toBeLessThan(400_000);
    await many.close();
  });

  it('that fail alike share a row, too, with a link to their alert', async () => {
    const many = await openSite();
    await fill(many, offices(41));
    await addOutage(many);
    const html = await many.text('/');
    expect(read(html)).toContain('1 to check: service unavailable (41 accounts)');
    expect(rows(html)).toEqual(['41 accounts']);
    expect(html.match(/<a href="#SERVICE_UNAVAILABLE\/503">service unavailable<\/a>/g)).toHaveLength(1);
    expect(html.length).toBeLessThan(20_000);
    await many.close();
  });
});
