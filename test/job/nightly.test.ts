import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet } from '../support/callsheet.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

const dataset = generateDataset();
const days = ['2026-03-09', '2026-03-10'];
const accounts = dataset.accounts.map(({ name }) => name).sort();

let world: World;
let smtp: TestSmtpServer;
const run = async () => {
  const environment = {
    ...world.environment,
    PAGE_LIMIT: '37',
    ...(await mailsLongAgo(world)),
    SMTP_URL: smtp.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    DIGEST_TO: 'ana@example.com,ben@example.com',
  };
  expect(await callsheet(['run', '--from', days[0]!, '--to', days[1]!], environment)).toMatchObject({
    code: 0,
    stdout: '',
  });
};

/* A night over three accounts and two days. */
beforeAll(async () => {
  [world, smtp] = await Promise.all([openWorld(), startSmtpServer()]);
  await run();
});
afterAll(async () => {
  await smtp.close();
  await world.close();
});

it('has every client of every page, exactly as the service returns them', async () => {
  const rows = await world.query(
    `select a.name as account, c.client_id::int as clientid, c.name as clientname, checksum, balance::text as balance, extra
     from warehouse.clients c join warehouse.accounts a using (account_id) order by a.name, c.client_id`,
  );
  const expected = accounts.flatMap((account) =>
    [...dataset.clients(account)]
      .sort((one, other) => one.clientid - other.clientid)
      .map((client) => ({ account, ...client, extra: {} })),
  );
  expect(rows).toEqual(expected);
  expect(rows).toHaveLength(1200);
});

it('has the campaigns of each day, exactly as the service returns them', async () => {
  const rows = await world.query(
    `select a.name as account, day::text, callset_id::int as callsetid, campaign, attempts::int, busies::int,
       connects::int, live_answers::int as liveanswers, extra
     from etl.campaign_days join warehouse.accounts a using (account_id) order by a.name, day, callset_id`,
  );
  const expected = accounts.flatMap((account) =>
    days.flatMap((day) =>
      [...dataset.campaigns(account, Temporal.PlainDate.from(day), Temporal.PlainDate.from(day))]
        .sort((one, other) => one.callsetid - other.callsetid)
        .map(({ callsetid, campaign, attempts, busies, connects, liveanswers, ...extra }) => ({
          account,
          day,
          callsetid,
          campaign,
          attempts,
          busies,
          connects,
          liveanswers,
          extra,
        })),
    ),
  );
  expect(rows).toEqual(expected);
  expect(rows.length).toBeGreaterThan(50);
});

it('has each response with its body in its archive, and no token', async () => {
  const responses = await world.query<{ request: object; zstd: Buffer }>(
    `select request, zstd from etl.responses join etl.response_bodies using (sha256) where decision = 'loaded'`,
  );
  expect(responses).toHaveLength(world.simulator.journal.length);
  for (const { request, zstd } of responses) {
    expect(JSON.stringify(request)).not.toContain('sidtoken');
    const { data, result } = JSON.parse(zstdDecompressSync(zstd).toString());
    expect(data ?? result).not.toEqual([]);
  }
});

it('mails each recipient one message over STARTTLS', () => {
  expect(smtp.received.map(({ to, from, secure }) => [to, from, secure])).toEqual([
    [['ana@example.com'], 'callsheet@example.com', true],
    [['ben@example.com'], 'callsheet@example.com', true],
  ]);
});

/** Every row with the transaction that wrote it; but for accounts, whose `clients_walked_at` each walk moves. */
async function writtenRows(): Promise<unknown[]> {
  const tables = ['warehouse.clients', 'etl.campaign_days', 'etl.response_bodies'];
  const selects = tables.map(
    (name) => `select '${name}' as name, xmin::text, md5(t::text) as row from ${name} t`,
  );
  return await world.query(`${selects.join(' union all ')} order by 1, 3`);
}

it('writes no row again and sends no mail again when the same days are run again', async () => {
  const before = await writtenRows();
  await run();
  expect(await writtenRows()).toEqual(before);
  expect(smtp.received).toHaveLength(2);
});

it('logs once that the days of accounts end in another zone', async () => {
  const changed = { ...world.environment, TIME_ZONE: 'America/New_York' };
  const logged = async () =>
    (await callsheet(['run', '--day', days[0]!, '--no-digest'], changed)).stderr.match(
      /[^"]* from now on.*(?=")/g,
    );
  expect(await logged()).toEqual([
    '3 accounts: coast, north, valley: days end in America/New_York from now on, not in UTC; loaded days stay as they were fetched',
  ]);
  expect(await logged()).toBeNull();
});
