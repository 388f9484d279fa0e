import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { addBackfill, addDigest, addProblems, fill } from '../fill.ts';
import { type FilledSite, openSite } from '../site.ts';

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

const daysAgo = (ago: number) => Temporal.Now.plainDateISO('UTC').subtract({ days: ago });
const named = (ago: number) =>
  daysAgo(ago)
    .toLocaleString('en-US', { weekday: 'short', day: 'numeric', month: 'short' })
    .replace(/(\w+), (\w+) (\d+)/, '$1 $3 $2');

/** The description of a day in an account's calendar. */
function label(account: string, ago: number): string {
  const found = new RegExp(
    `<span class="([^"]+)" data-key="${account} ${daysAgo(ago)}"[^>]* aria-label="([^"]+)"></span>`,
  ).exec(page);
  return `[${found?.[1]}] ${found?.[2]?.replaceAll('&#39;', "'")}`;
}

describe('the operator’s page', () => {
  it('says in one sentence what is wrong, and when the next run is', () => {
    expect(page).toContain(
      `<h1>9 to do: token refused (Coast &amp; Sons); mail refused (ben@example.com); mail may not have arrived (dan@example.com); …</h1>`,
    );
    expect(read(page)).toMatch(
      /Digest of .* sent to 1 of 4 at .*\. Next run \w{3} \d+ \w+, \d\d:\d\d UTC, in 3 h 12 min\./,
    );
    // The alert below says the rest, once.
    expect(page.split('missing from the figures')).toHaveLength(2);
    expect(read(page)).toContain(`Callsheet ${manifest.version} on ${hostname()}. Times are in UTC.`);
  });

  it('has every day of thirteen weeks, with its counts, and why it is marked', () => {
    const days = (account: string) => page.match(new RegExp(`data-key="${account} `, 'g'))!.length;
    const expected = 84 + daysAgo(1).dayOfWeek;
    expect([days('north'), days('coast')]).toEqual([expected, expected]);
    expect(label('north', 1)).toMatch(/^\[loaded\] .*: loaded, 20 campaigns, 12,\d{3} attempts$/);
    expect(label('coast', 1)).toMatch(/^\[loaded settling\] .*: loaded, settling, 20 campaigns, /);
    expect(label('coast', 2)).toBe(
      `[failed] ${named(2)}: failed: the service refuses the session token (401): put a new one into SIDTOKEN`,
    );
    expect(label('coast', 3)).toMatch(
      /^\[provisional\] .*: provisional, 20 .* attempts: the day was not over$/,
    );
    expect(label('coast', 6)).toMatch(
      /^\[loaded held\] .*: loaded, held, 20 .* attempts: it lacks 19 of 20 campaigns: /,
    );
    expect(label('coast', 9)).toMatch(
      /^\[provisional\] .*: provisional, 20 campaigns, 0 attempts: no calls, on a weekday that usually has some$/,
    );
    expect(label('coast', 12)).toMatch(/^\[loaded restated\] .*: loaded, restated, 20 campaigns/);
    expect(label('coast', 30)).toBe(`[missing] ${named(30)}: missing`);
  });

  it('shows the last runs with their steps and failures, unsent mail in its alerts, and the quarantine', () => {
    const text = read(page);
    expect(text).toMatch(
      /partial .* 3 min 20 s · 2 days loaded · Coast & Sons 2026-11-19 and Coast & Sons 2026-11-18: the service refuses/,
    );
    expect(text).toContain('windows1 held, 2 failed, 1 healed, 2 loaded');
    expect(text).toContain(
      'Coast & Sons 2026-11-19 and Coast & Sons 2026-11-18: the service refuses the session token (401)',
    );
    expect(text).toMatch(/1 earlier run, done ?done .* 41 s · 3 days loaded/);
    expect(text).toContain('clients7 pages, 620 listed, 3 appeared');
    expect(text).toContain('durationsclients 1.9 s, windows 38.2 s, mail 640 ms');
    expect(text).toMatch(/done \w{3} \d+ \w{3}, \d\d:\d\d schedule 41 s/);
    expect(text).toMatch(/Commands by hand, last 1 ?done .* backfill 1 h · 90 days loaded/);
    expect(text).toMatch(/Mail refused: ben@example.com, Campaigns of .* 550 5\.1\.1 no such user here/);
    expect(text).not.toContain('ana@example.com');
    expect(text).toMatch(/1 record of campaignSummary: callsetid is beyond 2\^53/);
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
       insert into etl.digests (name, day, kind, state, subject, mime)
       select name, day, 'corrected', state, subject, mime from etl.digests returning digest_id)
     insert into etl.deliveries (digest_id, recipient, message_id, state, changed_at)
     select c.digest_id, d.recipient, d.recipient || '2', d.state, d.changed_at from corrected c, etl.deliveries d`,
  );
  await good.query(`insert into etl.digests (name, day, kind, state)
    values ('Campaigns', (now() at time zone 'UTC')::date, 'first', 'skipped')`);
  expect(read(await good.text('/'))).toContain(line);
  const green = await good.text('/');
  expect(read(green)).not.toMatch(/all mail|quarantine|to do| 0 ms|duration of the last/i);
  expect(read(green)).toContain(`attempts, no change vs a typical ${named(1).slice(0, 3)}`);
  await good.close();
});

it('a run that has not ended is in progress while it holds the lock, and else was killed', async () => {
  const unended = await openSite();
  await fill(unended, ['north']);
  await unended.query(
    `insert into etl.runs (kind, command, run_date, host, process_id) values ('nightly', 'schedule', now(), 'here', 1)`,
  );
  expect(read(await unended.text('/'))).toMatch(/killed \w{3} /);
  await unended.query('begin');
  await unended.query('lock table etl.run_lock in exclusive mode');
  expect(read(await unended.text('/'))).toMatch(/in progress \w{3} /);
  await unended.query('rollback');
  await unended.close();
});

it('a page of fifty accounts shows only those that need attention and folds the others', async () => {
  const many = await openSite();
  await fill(
    many,
    Array.from({ length: 49 }, (_, index) => `account ${index}`),
  );
  await fill(many, ['coast']);
  await addProblems(many, 'coast');
  const html = await many.text('/');
  expect(html.match(/<details class="calendar[^>]*open>/g)).toEqual([
    '<details class="calendar urgent" data-key="calendar coast" open>',
  ]);
  expect(html.match(/<details class="calendar/g)).toHaveLength(50);
  expect(html.split('49 other accounts')[1]).not.toContain('"calendar coast"');
  expect(html.length).toBeLessThan(900_000);
  // Half of the usual day is missing, and no alert says it.
  await many.query(
    `update etl.windows set attempts = attempts / 3 where account_id = 7 and day = (now() at time zone 'UTC')::date - 1`,
  );
  const opened = (text: string) =>
    [...text.matchAll(/data-key="calendar ([^"]+)" open/g)].map(([, name]) => name);
  expect(opened(await many.text('/'))).toEqual(['coast', 'account 6']);
  // One outage of all: its alert names them.
  await many.query(
    `update etl.windows set state = 'failed', loaded_at = null, failed_at = now(), failure = 'status 503', failure_code = 'SERVICE_UNAVAILABLE' where day = (now() at time zone 'UTC')::date - 1`,
  );
  const outage = await many.text('/');
  expect(opened(outage)).toEqual([]);
  expect(read(outage)).toContain('50 accounts: ');
  await many.close();
});
