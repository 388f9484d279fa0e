import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { loadWindow } from '../../../src/job/windows/load-window.ts';
import type { CampaignRecord } from '../../../src/model/records.ts';
import { databaseClock } from '../../../src/warehouse/ledger/runs.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { plainResponse } from '../../support/plain-response.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const day = '2026-03-02';
const { addAccounts, warehouse } = await openTestWarehouse();
const accountId = (await addAccounts('north'))[0]!;
const runId = await beginTestRun(warehouse, '2026-03-03');

async function load(attempts: number, isOver = true): Promise<void> {
  const campaign: CampaignRecord = {
    callsetId: 501,
    campaign: 'spring',
    attempts,
    busies: 0,
    connects: attempts / 2,
    liveAnswers: 0,
    extra: {},
  };
  const window = {
    ...plainResponse([campaign]),
    accountId,
    day,
    runId,
    runDate: '2026-03-03',
    fetchedAt: await databaseClock(warehouse),
    isOver,
  };
  await loadWindow(warehouse, window, false);
}

/** What a look at other days does, and taking back what was accepted. */
const mark = () =>
  sql`update etl.windows set state = 'provisional', provisional_reason = 'the same figures as the day before'`.execute(
    warehouse,
  );

/** The day of a digest that was mailed to somebody. */
async function mail(number: number, attempts: number): Promise<void> {
  await sql`
    with mail as (
      insert into etl.mails (name, every, number, day, built_at)
      values ('Managers', 'day', ${number}, ${day}, clock_timestamp()) returning mail_id),
    delivery as (
      insert into etl.deliveries (mail_id, recipient, message_id, state)
      select mail_id, 'ana@example.com', '<' || mail_id || '@example.com>', 'sent' from mail)
    insert into etl.mailed_periods (name, every, day, account_id, mail_id, state, attempts)
    select 'Managers', 'day', ${day}, ${accountId}, mail_id, 'whole', ${attempts} from mail
  `.execute(warehouse);
}

it('restated_days keeps what each restatement was, whatever the day showed while it was provisional', async () => {
  await load(300, false);
  await mail(1, 300);
  await load(500);
  await load(496);
  await mail(2, 496);
  await mark();
  await load(396);
  await load(400);
  await mail(3, 400);
  await load(410);
  const { rows } = await sql`
    select attempts_before, attempts_after, connects_before, connects_after, mailed from warehouse.restated_days order by restated_at
  `.execute(warehouse);
  expect(rows.map((row) => Object.values(row as object))).toEqual([
    // The mail had 300.
    ['500', '496', '250', '248', false],
    ['396', '400', '198', '200', false],
    ['400', '410', '200', '205', true],
  ]);
});
