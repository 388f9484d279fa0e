import { beforeEach, expect, it } from 'vitest';
import { unsentMail } from '../../../src/warehouse/outbox/deliveries.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const day = '2026-03-02';
const { client, warehouse } = await openTestWarehouse(1);
beforeEach(() => client.query('truncate etl.mails cascade'));

type Digest = {
  readonly name?: string;
  readonly day?: string;
  /** The days in its table. */
  readonly shown?: readonly string[];
};
type Delivery = {
  readonly state: string;
  readonly days?: number;
  readonly skipped?: boolean;
};

/** A digest and its deliveries by recipient; `days` ago each changed. */
async function digest(
  { name = 'Campaigns', day: on = day, shown = [on] }: Digest,
  deliveries: Readonly<Record<string, Delivery>>,
): Promise<void> {
  const { rows } = await client.query(
    `insert into etl.mails (name, every, number, day, built_at)
     select $1, 'day', count(*) + 1, $2, now() from etl.mails returning mail_id as id`,
    [name, on],
  );
  await client.query(
    `insert into etl.mailed_periods (name, every, day, mail_id, state)
     select $1, 'day', unnest($2::date[]), $3, 'whole'`,
    [name, shown, rows[0].id],
  );
  for (const [recipient, { state: delivery, days = 0, skipped = false }] of Object.entries(deliveries))
    await client.query(
      `insert into etl.deliveries (mail_id, recipient, message_id, state, changed_at, skipped_at)
       values ($1, $2, gen_random_uuid(), $3, now() - make_interval(days => $4), case when $5 then now() end)`,
      [rows[0].id, recipient, delivery, days, skipped],
    );
}

const to = ['waits', 'failed', 'sent', 'written', 'Given', 'unknown', 'old', 'skipped', 'ana', 'ben'];
const ofSettings = [{ name: 'Campaigns', to }];

const unsent = async () =>
  (await unsentMail(warehouse, ofSettings)).map(({ recipient, state }) => `${recipient} ${state}`);

it('mail is unsent while it waits or is given up, and for a month if it is unknown', async () => {
  await digest(
    {},
    {
      waits: { state: 'pending', days: 40 },
      failed: { state: 'failed', days: 40 },
      sent: { state: 'sent' },
      written: { state: 'written' },
      given: { state: 'given_up', days: 32 },
      unknown: { state: 'unknown', days: 30 },
      old: { state: 'unknown', days: 32 },
      skipped: { state: 'given_up', skipped: true },
      gone: { state: 'given_up' },
    },
  );
  expect(await unsent()).toEqual(['waits pending', 'failed failed', 'given given_up', 'unknown unknown']);
});

it('mail that was given up is settled by a later mail of the same digest and day to the same mailbox, however it is written', async () => {
  const givenUp = { ana: { state: 'given_up' } };
  await digest({}, { ana: { state: 'sent' } });
  await digest({}, givenUp);
  await digest({ name: 'Other' }, { ana: { state: 'sent' } });
  await digest({ day: '2026-03-01' }, { ana: { state: 'sent' } });
  await digest(
    { day: '2026-03-05', shown: ['2026-03-05', day] },
    { ben: { state: 'sent' }, Ana: { state: 'pending', skipped: true } },
  );
  expect(await unsent()).toEqual(['ana given_up']);
  await client.query(
    `update etl.deliveries set skipped_at = null, state = 'sent' where recipient = 'Ana' and skipped_at is not null`,
  );
  expect(await unsent()).toEqual([]);
});
