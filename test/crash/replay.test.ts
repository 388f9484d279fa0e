import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accept } from '../../src/job/accept.ts';
import { type Night, simulateNight, withClock } from '../../src/job/demo/simulate-night.ts';
import { nightly } from '../../src/job/nightly.ts';
import { addDays } from '../../src/model/day.ts';
import { THREE_ACCOUNTS } from '../../src/simulator/accounts.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { playStory, type Story } from '../../src/simulator/story.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { never, undated } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';
import { killPointsWithin } from './kill-points.ts';
import { expectNothingHalf, killAt, lockFreed, observe, type Undisturbed } from './killing.ts';

const command = ['replay', '--from', '2000-01-01', '--to', '2999-12-31'];
const firstNight = '2026-03-09';

let history: TestDatabase;
/** What is current after the last night. */
let current: string[];

/** Nights after which each table has rows. */
const story: Story = {
  about: 'what a replay leaves as it is',
  accounts: THREE_ACCOUNTS,
  nights: [
    [],
    [{ event: 'clients removed', account: 'coast', clients: 3 }],
    [
      { event: 'late correction', account: 'coast', daysAgo: 2, percent: 8 },
      { event: 'campaign withdrawn', account: 'valley', daysAgo: 2 },
    ],
    [
      { event: 'campaigns missing', account: 'north', daysAgo: 2 },
      { event: 'unreadable records', account: 'coast', daysAgo: 1 },
    ],
    [
      { event: 'campaign added later', account: 'coast', daysAgo: 3 },
      { event: 'balances spent', account: 'north', clients: 6 },
      { event: 'token refused', account: 'valley' },
    ],
    [
      { event: 'empty day', account: 'coast', daysAgo: 2 },
      { event: 'late correction', account: 'north', daysAgo: 1, percent: 8 },
    ],
  ],
};

/**
 * Besides, north's clients are renamed, a day of it that was held is accepted, and one is fetched before it is
 * over, and corrected then.
 */
beforeAll(async () => {
  const played = playStory(story, firstNight, generateDataset(1, undefined, story.accounts));
  let number = 0;
  const world = await openWorld({
    intercept: played.intercept,
    dataset: {
      ...played.dataset,
      clients: (account) => {
        const clients = played.dataset.clients(account);
        if (account !== 'north' || number < 2) return clients;
        return clients.map((each) => ({ ...each, clientname: `${each.clientname} II` }));
      },
    },
  });
  history = await createDatabase({ template: 'migrated' });
  for (const events of story.nights) {
    const today = addDays(firstNight, number);
    const night: Night = {
      environment: { ...world.environment, DIGEST_TO: '', RETRIES: '0', LOG_LEVEL: 'silent' },
      databaseUrl: history.url,
      startsAt: `${today}T06:30:00Z`,
      events,
    };
    await simulateNight(
      night,
      (outside) => played.startNight(number, outside),
      () => {},
      never,
    );
    await withClock(night, async (app) => {
      const request = { command: 'accept', days: [addDays(today, -2)], accounts: ['north'] };
      if (number === 3)
        await accept(
          app,
          request,
          never,
          () => {},
          async () => true,
        );
      const unfinished = { ...undated, days: [today], accounts: ['north'], digest: false };
      if (number === 4) await nightly(app, unfinished, never);
    });
    number++;
  }
  await world.close();
  await using copy = await openCopy();
  const decisions = await copy.query('select distinct decision from etl.responses order by 1');
  expect(decisions.map(({ decision }) => decision)).toEqual(['discarded', 'held', 'loaded', 'provisional']);
  current = await readRows(copy);
});
afterAll(() => history.drop());

/** A copy of the history. A replay needs nothing else. */
async function openCopy() {
  const database = await createDatabase({ template: new URL(history.url).pathname.slice(1) });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const query: World['query'] = async (text, values) => (await client.query(text, values)).rows;
  return {
    environment: { DATABASE_URL: database.url, CONCURRENCY: '1' },
    query,
    async [Symbol.asyncDispose]() {
      await client.end();
      await database.drop();
    },
  };
}
type Copy = Awaited<ReturnType<typeof openCopy>>;

const tables = [
  'etl.campaign_days',
  'warehouse.campaign_day_restatements',
  'etl.past_account_days',
  'warehouse.clients',
  'etl.past_client_versions',
  'etl.past_client_balances',
  'warehouse.client_versions',
  'warehouse.client_balances',
  'warehouse.client_absences',
  'etl.campaigns',
  'etl.missed_clients',
];

/** As if what the archive has of days that never changed had been read by nobody. */
const unload = ({ query }: Copy) =>
  query(`with unloaded as (
      delete from etl.windows w
      where held_hash is null and not exists (
        select from warehouse.campaign_day_restatements r where r.account_id = w.account_id and r.day = w.day)
      returning account_id, day)
    delete from etl.campaign_days using unloaded u
    where etl.campaign_days.account_id = u.account_id and etl.campaign_days.day = u.day returning 1`);

/** Every row that loading writes with every column of it, instants included. */
async function readRows({ query }: Copy): Promise<string[]> {
  const ledger = `(select account_id, day, state, fetched_at, synced_at, run_id, content_hash, synced_run_date,
    same_since_run_date, settled, held_hash, held_since, first_loaded_at, confirmed_at, updated_at, listed_campaigns,
    active_campaigns, attempts, busies, connects, live_answers, connect_rate_connects, connect_rate_attempts from etl.windows where state <> 'failed')`;
  const selects = [...tables, ledger, 'etl.responses'].map(
    (from, index) => `select ${index} as index, to_jsonb(t)::text as row from ${from} t`,
  );
  const rows = await query<{ index: number; row: string }>(`${selects.join(' union all ')} order by 1, 2`);
  expect(new Set(rows.map(({ index }) => index)).size, 'tables with rows').toBe(selects.length);
  return rows.map(({ index, row }) => `${tables[index] ?? index} ${row}`);
}

it('a replay changes nothing of what is current, to the microsecond', async () => {
  await using copy = await openCopy();
  expect(await callsheet(command, copy.environment)).toMatchObject({ code: 0, stdout: '' });
  expect(await readRows(copy)).toEqual(current);
  expect(await disagreements(copy)).toEqual([]);
});

it('a replay that is killed leaves no day half loaded, and the next one completes it', async () => {
  await using whole = await openCopy();
  expect((await unload(whole)).length).toBeGreaterThan(100);
  const traffic = await observe(command, whole.environment);
  const undisturbed: Undisturbed = { ...traffic, contents: await readContents(whole) };
  expect(await disagreements(whole)).toEqual([]);
  for (const { title, killPoint } of killPointsWithin(traffic.commits)) {
    await using copy = await openCopy();
    await unload(copy);
    await killAt(killPoint, command, copy.environment);
    await expectNothingHalf(copy, undisturbed);
    await lockFreed(copy);
    expect(await callsheet(command, copy.environment)).toMatchObject({ code: 0, stdout: '' });
    expect(await readContents(copy), title).toEqual(undisturbed.contents);
  }
});
