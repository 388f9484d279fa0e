import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accept } from '../../src/job/accept.ts';
import { liveNight, type Night, withClock } from '../../src/job/demo/live-night.ts';
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

/** Nights after which each table of a replay has rows. */
const story: Story = {
  about: 'what a replay has to rebuild',
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
    await liveNight(
      night,
      (outside) => played.turnTo(number, outside),
      () => {},
      never,
    );
    await withClock(night, async (app) => {
      const request = { command: 'accept', days: [addDays(today, -2)], accounts: ['north'] };
      if (number === 3) await accept(app, request, never, () => {});
      const unfinished = { ...undated, days: [today], accounts: ['north'], digest: false };
      if (number === 4) await nightly(app, unfinished, never);
    });
    number++;
  }
  await world.close();
  await using copy = await openCopy();
  const decisions = await copy.query('select distinct decision from etl.responses order by 1');
  expect(decisions.map(({ decision }) => decision)).toEqual(['discarded', 'held', 'loaded', 'provisional']);
  current = await readRebuilt(copy);
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
  'etl.client_absences',
];

/** All but the archive, and with it the failures of windows, which left no response. */
const removeRebuilt = ({ query }: Copy) => query(`truncate ${tables.join()}, etl.windows`);

/** Every row that a replay builds with every column of it, instants included. */
async function readRebuilt({ query }: Copy): Promise<string[]> {
  const ledger = `(select account_id, day, state, fetched_at, loaded_at, run_id, content_hash, synced_run_date,
    same_since_run_date, settled, held_hash, held_since, held_run_date, first_loaded_at, updated_at, campaigns,
    active_campaigns, attempts, busies, connects, live_answers, connect_rate_connects, connect_rate_attempts from etl.windows where state <> 'failed')`;
  const selects = [...tables, ledger, 'etl.responses'].map(
    (from, index) => `select ${index} as index, to_jsonb(t)::text as row from ${from} t`,
  );
  const rows = await query<{ index: number; row: string }>(`${selects.join(' union all ')} order by 1, 2`);
  expect(new Set(rows.map(({ index }) => index)).size, 'tables with rows').toBe(selects.length);
  return rows.map(({ index, row }) => `${tables[index] ?? index} ${row}`);
}

it('a replay rebuilds from the archive alone what was current, to the microsecond, and --reread changes nothing', async () => {
  await using copy = await openCopy();
  await removeRebuilt(copy);
  for (const args of [command, [...command, '--reread']]) {
    expect(await callsheet(args, copy.environment)).toMatchObject({ code: 0, stdout: '' });
    expect(await readRebuilt(copy)).toEqual(current);
    expect(await disagreements(copy)).toEqual([]);
  }
});

it('a replay that is killed leaves no day and no client list half rebuilt, and the next one completes it', async () => {
  await using whole = await openCopy();
  await removeRebuilt(whole);
  const traffic = await observe(command, whole.environment);
  const undisturbed: Undisturbed = { ...traffic, contents: await readContents(whole) };
  const listed = `select account_id, string_agg(c::text, ' ' order by client_id) as clients
    from warehouse.clients c group by 1 order by 1`;
  const lists = await whole.query(listed);
  for (const { title, killPoint } of killPointsWithin(traffic.commits)) {
    await using copy = await openCopy();
    await removeRebuilt(copy);
    await killAt(killPoint, command, copy.environment);
    await expectNothingHalf(copy, undisturbed);
    expect(lists, title).toEqual(expect.arrayContaining(await copy.query(listed)));
    await lockFreed(copy);
    expect(await callsheet(command, copy.environment)).toMatchObject({ code: 0, stdout: '' });
    expect(await readRebuilt(copy), title).toEqual(current);
  }
});

it('what another version could not read of a newest response is loaded or held by --reread as it would have been then', async () => {
  await using copy = await openCopy();
  const before = await readContents(copy);
  // Nobody accepted a response of these accounts, and their days were over: the responses alone decide.
  const misread = await copy.query(`
    update etl.responses f set rows = null, counts = null,
      decision = case when extract(day from f.day)::integer % 2 = 0 then 'unreadable' else 'discarded' end
    from (select distinct on (account_id, day) response_id, decision
          from etl.responses join warehouse.accounts using (account_id)
          where day is not null and name in ('coast', 'valley') order by account_id, day, response_id desc) newest
    where f.response_id = newest.response_id and newest.decision in ('loaded', 'held') returning newest.decision`);
  expect(new Set(misread.map(({ decision }) => decision))).toEqual(new Set(['loaded', 'held']));
  await removeRebuilt(copy);
  for (const args of [command, [...command, '--reread']])
    expect(await callsheet(args, copy.environment)).toMatchObject({ code: 0 });
  expect(await readContents(copy)).toEqual(before);
  // From now on a plain replay follows what was decided anew.
  expect(await callsheet(command, copy.environment)).toMatchObject({ code: 0 });
  expect(await readContents(copy)).toEqual(before);
});
