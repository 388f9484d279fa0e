import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { quarantine } from '../../../src/warehouse/load/rejects.ts';
import { pruneHistory } from '../../../src/warehouse/retention/prune-history.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

/** Old runs and digests, and among them what has to stay. */
const many = 20;
const { addAccounts, warehouse } = await openTestWarehouse(1);

beforeAll(async () => {
  const [accountId] = await addAccounts('north');
  const source = { accountId: accountId!, operation: 'campaignSummary' };
  const runId = await beginTestRun(warehouse, '2026-03-02');
  const reject = (payload: string) => ({
    rejects: [{ payload, reason: 'no id', id: null }],
    rejectCount: 1,
  });
  for (const day of ['2026-03-01', '2026-03-02'])
    await quarantine(warehouse, { ...source, runId, day }, reject(`of ${day}`));
  await sql`
    insert into etl.runs (kind, command, run_date, host, process_id, finished_at, scheduled_at, outcome, summary)
    select case when n % 2 = 1 then 'nightly' else 'dated' end, 'run', date '2025-01-01' + n, 'here', 1,
      now() - interval '401 days', timestamptz '2025-01-01 UTC' + n * interval '1 day', 'done', '{"rows": 1}'
    from generate_series(1, ${many}) n`.execute(warehouse);
  await sql`
    insert into etl.mails (name, every, number, day, mime, subject, built_at)
    select 'Campaigns', 'day', n, date '2025-01-01' + n, 'the message', 'the subject', now() - interval '401 days'
    from generate_series(1, ${many}) n`.execute(warehouse);
  // The first was sent later, by hand; the second couldn't be sent yet; the third went out as the others did.
  await sql`
    insert into etl.deliveries (mail_id, recipient, message_id, state, changed_at)
    select mail_id, 'ana@example.com', mail_id, case day when '2025-01-03' then 'failed' else 'sent' end,
      case day when '2025-01-02' then now() else now() - interval '401 days' end
    from etl.mails where day <= '2025-01-04'`.execute(warehouse);
  // A later response of the second day has no such record.
  await sql`
    update etl.rejects
    set last_rejected_at = now() - interval '401 days', current = day = '2026-03-01'`.execute(warehouse);
});

const read = async (statement: ReturnType<typeof sql>) => (await statement.execute(warehouse)).rows;

it('nothing that is younger is deleted', async () => {
  const old = sql`interval '2 days'`;
  await sql`update etl.runs set finished_at = finished_at + ${old} where finished_at is not null`.execute(
    warehouse,
  );
  await sql`update etl.mails set built_at = built_at + ${old}`.execute(warehouse);
  await sql`update etl.rejects set last_rejected_at = last_rejected_at + ${old}`.execute(warehouse);
  expect(await pruneHistory(warehouse)).toEqual({ mails: 0, summaries: 0, records: 0 });
  await sql`update etl.runs set finished_at = finished_at - ${old} where finished_at is not null`.execute(
    warehouse,
  );
  await sql`update etl.mails set built_at = built_at - ${old}`.execute(warehouse);
  await sql`update etl.rejects set last_rejected_at = last_rejected_at - ${old}`.execute(warehouse);
});

it('messages, summaries and replaced records are deleted, and every decision stays', async () => {
  expect(await pruneHistory(warehouse)).toEqual({
    mails: many - 2,
    summaries: many - 1,
    records: 1,
  });
  expect(await read(sql`select day from etl.mails where mime is not null order by day`)).toEqual([
    { day: '2025-01-02' },
    { day: '2025-01-03' },
  ]);
  expect(await read(sql`select distinct subject, count(*) over () as rows from etl.mails`)).toMatchObject([
    { subject: 'the subject', rows: many },
  ]);
  expect(await read(sql`select kind, run_date from etl.runs where summary is not null`)).toEqual([
    { kind: 'nightly', run_date: '2025-01-20' },
  ]);
  expect(
    await read(sql`select count(scheduled_at) as served, count(outcome) as ended from etl.runs`),
  ).toEqual([{ served: many, ended: many }]);
  expect(await read(sql`select day, payload, reason from etl.rejects order by day`)).toEqual([
    { day: '2026-03-01', payload: 'of 2026-03-01', reason: 'no id' },
  ]);
});
