import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backfill } from '../../../src/job/backfill.ts';
import { skipAll } from '../../../src/job/digests/make-digests.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { atInstant, never, runNight } from '../../support/nights.ts';
import { openWorld, type World } from '../../support/world.ts';

const { token } = generateDataset().accounts.find(({ name }) => name === 'valley')!;
let world: World;
let settings: World['environment'];
beforeEach(async () => {
  world = await openWorld();
  const file = path.join(world.folder, 'digests.json');
  const digest = (name: string, every: string) => ({ name, every, to: 'ana@example.com' });
  await writeFile(file, JSON.stringify([digest('Weekly', 'week'), digest('Monthly', 'month')]));
  settings = {
    ACCOUNTS_FILE: '',
    SIDTOKEN: token,
    ACCOUNT_NAME: 'valley',
    DIGEST_TO: '',
    DIGESTS_FILE: file,
  };
  // February begins with a Sunday: the last of its weeks ends in March.
  await atInstant(
    world,
    '2026-02-27T08:00:00Z',
    (app) =>
      backfill(app, { command: 'backfill', from: '2026-02-01', to: '2026-02-25', accounts: null }, never),
    settings,
  );
});
afterEach(() => world.close());

const night = (day: string, others: World['environment'] = {}) =>
  runNight(world, day, { ...settings, ...others });
const digests = async () =>
  (
    await world.query<{ line: string }>(
      `select concat_ws(' ', name, date_trunc(every, day::timestamp)::date, day, kind, state, case when incomplete then 'incomplete' end) as line
       from etl.digests where state = 'built' order by digest_id`,
    )
  ).map(({ line }) => line);
const mail = async (name: string) => {
  const rows = await world.query<{ mime: string }>(
    'select mime from etl.digests where name = $1 and state = $2 order by day desc, kind',
    [name, 'built'],
  );
  return await PostalMime.parse(rows[0]!.mime);
};
const sumOf = async (from: string, to: string) =>
  (
    await world.query<{ attempts: number }>(
      `select sum(attempts)::int as attempts from etl.campaign_days where day between $1 and $2 and withdrawn_at is null`,
      [from, to],
    )
  )[0]!.attempts;

it('weeks and months are mailed once they are over, of all their days, and the first is the first full one', async () => {
  for (const day of ['2026-02-27', '2026-02-28']) await night(day);
  expect(await digests()).toEqual([]);
  await night('2026-03-01');
  expect(await digests()).toEqual(['Monthly 2026-02-01 2026-02-28 first built']);
  await night('2026-03-02');
  await night('2026-03-02');
  await night('2026-03-03');
  expect((await digests()).slice(1)).toEqual(['Weekly 2026-02-23 2026-03-01 first built']);

  for (const [name, from, to, subject, file] of [
    ['Weekly', '2026-02-23', '2026-03-01', 'Weekly, Week of 23 Feb', 'weekly-2026-02-23-week.csv'],
    ['Monthly', '2026-02-01', '2026-02-28', 'Monthly, February 2026', 'monthly-2026-02-month.csv'],
  ] as const) {
    const attempts = (await sumOf(from, to)).toLocaleString('en-GB');
    const { subject: sent, text, attachments } = await mail(name);
    expect(sent).toMatch(
      new RegExp(`^${subject}: [\\d.]+% connected, ${attempts} attempts( \\([+−]\\d+%\\))?$`),
    );
    expect(text).toContain(`Attempts: ${attempts}`);
    const csv = attachments.find(({ filename }) => filename === file)!;
    const rows = parse<{ day: string; attempts: string }>(Buffer.from(csv.content as ArrayBuffer), {
      columns: true,
      bom: true,
    });
    const days = rows.map(({ day }) => day);
    expect([days[0], days.at(-1)]).toEqual([from, to]);
    expect(rows.reduce((sum, row) => sum + Number(row.attempts), 0).toLocaleString('en-GB')).toBe(attempts);
  }
  const [week, month] = [await mail('Weekly'), await mail('Monthly')];
  expect(week.text).toMatch(/[+−]\d+% vs the four weeks before/);
  expect(week.text).toContain('THE WEEK AND THE ONE BEFORE');
  expect(week.text).not.toMatch(/typical|TO DATE|LOWEST/i);
  expect(month.text).toContain('Not compared with January: too little is loaded.');
});

it('a week whose attempts are over is mailed incomplete, and corrected once when the rest of it is loaded', async () => {
  for (const day of ['2026-02-27', '2026-02-28', '2026-03-01']) await night(day);
  await night('2026-03-02', { SIDTOKEN: 'expired' });
  expect((await digests()).slice(1)).toEqual(['Weekly 2026-02-23 2026-03-01 first built incomplete']);
  const { subject, text } = await mail('Weekly');
  expect(subject).toMatch(/^Incomplete: /);
  expect(text).toContain(
    'Incomplete: part of the week is missing.\n- valley: Sun 1 Mar not loaded, or not over\n- A corrected digest follows once the rest is there.',
  );
  const [before, after] = await Promise.all([sumOf('2026-02-23', '2026-02-28'), await night('2026-03-03')]);
  expect(after.exitCode).toBe(0);
  await night('2026-03-04');
  expect((await digests()).slice(2)).toEqual(['Weekly 2026-02-23 2026-03-01 corrected built']);
  const attempts = [before, await sumOf('2026-02-23', '2026-03-01')].map((sum) =>
    sum.toLocaleString('en-GB'),
  );
  const corrected = await mail('Weekly');
  expect(corrected.subject).toMatch(/^Corrected: Weekly, Week of 23 Feb: /);
  expect(corrected.text).toContain(
    `Corrected: this replaces the digest sent for that week.\n- valley: attempts ${attempts.join(' → ')}, `,
  );
  // The next week names no change that its correction named.
  await night('2026-03-09');
  expect((await mail('Weekly')).text).not.toContain('Changed since the last digest');
});

it('a digest that becomes weekly begins anew, with the week that goes on', async () => {
  const file = path.join(world.folder, 'digests.json');
  const every = (choice: string) =>
    writeFile(file, JSON.stringify([{ name: 'All', every: choice, to: 'ana@example.com' }]));
  await every('day');
  for (const day of ['2026-02-27', '2026-02-28', '2026-03-01']) await night(day);
  await every('week');
  await night('2026-03-02');
  expect((await digests()).map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual([
    '2026-02-26 2026-02-26',
    '2026-02-27 2026-02-27',
    '2026-02-28 2026-02-28',
    '2026-02-23 2026-03-01',
  ]);
});

it('of a week that is over are skipped after a restore, also where a day of it was never loaded and is loaded no more', async () => {
  await night('2026-03-05');
  // As if restored on 13 March from a backup of 5 March: of the week from 2 March, the day just out of reach is missing.
  const restored = { ...settings, CATCH_UP_DAYS: '7' };
  await atInstant(world, '2026-03-13T07:00:00Z', skipAll, restored);
  await night('2026-03-13', { CATCH_UP_DAYS: '7' });
  await night('2026-03-14', { CATCH_UP_DAYS: '7' });
  expect((await digests()).filter((line) => line.includes('2026-03-02'))).toEqual([]);
});
