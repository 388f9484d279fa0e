import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into warehouse.accounts (name, label, time_zone) values ('north', 'North', 'UTC'), ('coast', 'Coast', 'UTC')`,
  );
});
beforeEach(() => client.query('truncate etl.digests, warehouse.account_days, etl.past_account_days cascade'));
afterAll(async () => {
  await client.end();
  await database.drop();
});

const [north, coast] = [1, 2];

/** A day that has 30 attempts now, and had other sums until these times. */
async function restated(
  account: number,
  day: string,
  ...before: readonly (readonly [until: string, attempts: number | null])[]
): Promise<void> {
  await client.query(
    `insert into warehouse.account_days (account_id, day, campaigns, attempts, connects, provisional, loaded_at)
     values ($1, $2, 2, 30, 6, false, now())`,
    [account, day],
  );
  for (const [until, attempts] of before)
    await client.query('insert into etl.past_account_days values ($1, $2, $3, 1, $4, $4::numeric / 5)', [
      account,
      day,
      until,
      attempts,
    ]);
}

type Built = {
  readonly every?: string;
  readonly kind?: string;
  readonly state?: string;
  readonly sentWith?: number;
  readonly reported: readonly object[] | null;
  readonly deliveries?: readonly string[];
};

/** A digest of that period, built at 07:00 of a day. */
async function digest(day: string, builtOn: string, built: Built): Promise<number> {
  const {
    every = 'day',
    kind = 'first',
    state = 'built',
    sentWith = null,
    reported,
    deliveries = [],
  } = built;
  const { rows } = await client.query(
    `insert into etl.digests (name, every, day, kind, state, built_at, sent_with, reported, incomplete)
     values ('Daily', $1, $2, $3, $4, $5::date + time '07:00', $6, $7, false) returning digest_id`,
    [every, day, kind, state, builtOn, sentWith, reported && JSON.stringify(reported)],
  );
  const [{ digest_id: id }] = rows;
  for (const [index, state] of deliveries.entries())
    await client.query(
      'insert into etl.deliveries (digest_id, recipient, message_id, state) values ($1, $2, $3, $4)',
      [id, `${index}@example.com`, `${id}-${index}`, state],
    );
  return Number(id);
}

const totals = (account: string, attempts: number | null, lackingDays: readonly string[] = []) => ({
  account,
  lackingDays,
  attempts,
  connects: attempts === null ? null : attempts / 5,
  rates: { connects: { part: attempts === null ? null : attempts / 5, attempts } },
});

async function lines(text: string): Promise<string[]> {
  return (await client.query<{ line: string }>(text)).rows.map(({ line }) => line);
}

const restatedDays = () =>
  lines(
    `select concat_ws(' ', account, day, coalesce(attempts_before::text, '–'), coalesce(attempts::text, '–'),
       coalesce(connects_before::float8::text, '–'), coalesce(connects::float8::text, '–'), mailed) as line
     from warehouse.restated_days order by account_id, day, restated_at`,
  );

it('a restated day was mailed if a digest that was built before and arrived has it', async () => {
  const both = [totals('north', 10), totals('coast', null, ['2026-03-02'])];
  const alone = [totals('north', 10)];
  for (const day of ['2026-02-22', '2026-02-25', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'])
    await restated(north, day, ['2026-03-07', 10]);
  await restated(coast, '2026-03-02', ['2026-03-07', 10]);
  await digest('2026-03-01', '2026-03-02', { every: 'week', reported: alone, deliveries: ['written'] });
  await digest('2026-03-02', '2026-03-03', { reported: both, deliveries: ['refused', 'sent'] });
  await digest('2026-03-03', '2026-03-04', { reported: alone, deliveries: ['refused'] });
  const newest = await digest('2026-03-06', '2026-03-06', { reported: [], deliveries: ['sent'] });
  await digest('2026-03-04', '2026-03-06', { reported: alone, sentWith: newest });
  await digest('2026-03-05', '2026-03-08', { reported: alone, deliveries: ['sent'] });
  expect((await restatedDays()).map((line) => line.replace(/ \d+ 30 .* /, ' '))).toEqual([
    'north 2026-02-22 f',
    'north 2026-02-25 t',
    'north 2026-03-02 t',
    'north 2026-03-03 f',
    'north 2026-03-04 t',
    'north 2026-03-05 f',
    'coast 2026-03-02 f',
  ]);
});
