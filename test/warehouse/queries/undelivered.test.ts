import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestWarehouse } from '../../support/test-warehouse.ts';
import { freeze } from '../outbox/outbox.ts';

const { databaseUrl, warehouse } = await openTestWarehouse();
let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
});

it('a reader sees which mail somebody never got, and why', async () => {
  const daily = { name: 'Both', every: 'day', day: '2026-11-18' } as const;
  const builtAt = '2026-11-19T06:30:00Z';
  await freeze(warehouse, daily, ['ana@example.com', 'ben@example.com'], { builtAt });
  await client.query(
    `update etl.deliveries set attempts = 1,
       state = case recipient when 'ana@example.com' then 'given_up' else 'sent' end,
       reply = case recipient when 'ana@example.com' then '550 5.1.1 no such mailbox' else '250 ok' end`,
  );
  await client.query('set role callsheet_reader');
  const query = readFileSync('deploy/bi/queries/20-undelivered-mails.sql', 'utf8');
  const { rows } = await client.query(query.replaceAll('current_date', `date '2026-11-20'`));
  expect(rows).toMatchObject([
    {
      digest: 'Both',
      period: 'day',
      subject: 'Both',
      recipient: 'ana@example.com',
      delivery_state: 'given_up',
      delivery_attempts: 1,
      reply: '550 5.1.1 no such mailbox',
    },
  ]);
  const { rows: mails } = await client.query('select digest, recipients, delivered from warehouse.mails');
  expect(mails).toEqual([{ digest: 'Both', recipients: '2', delivered: '1' }]);
  // The message itself is the job's own.
  await expect(client.query('select * from etl.deliveries')).rejects.toThrow('permission denied');
});
