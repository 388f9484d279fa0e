import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import {
  archiveDiscarded,
  archiveResponses,
  lockArchivedBodies,
} from '../../../src/warehouse/archive/archive.ts';
import { openWarehouse } from '../../../src/warehouse/db/database.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { lockEntry } from '../../../src/warehouse/ledger/window-entry.ts';
import {
  forgetAccount,
  previewForget,
  readForgettable,
} from '../../../src/warehouse/retention/forget-account.ts';
import { lockWaits, withSetting } from '../../support/database.ts';
import { serviceResponse } from '../../support/service-response.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

/** Accounts whose names begin alike, or are a number that a summary has anyway. */
const names = ['acme', 'acme-eu', 'acme.de', 'acme_2', 'acme eu', '7', 'mail'];
const summary = (more: object) => ({ clients: { pages: 7 }, mailPutOff: 7, failures: [], ...more });
const failures = [
  ...names.map((account) => ({ detail: `account ${account}: no`, errors: 1, places: [{ account }] })),
  { detail: 'status 503', errors: 99, places: names.map((account) => ({ account, day: '2026-03-02' })) },
];
/** They without what names one of these. */
const failuresWithout = (gone: (name: string) => boolean) =>
  failures.flatMap(({ places, ...cause }) => {
    const left = places.filter(({ account }) => !gone(account));
    return left.length === 0 ? [] : [{ ...cause, places: left }];
  });

const { addAccounts, databaseUrl, warehouse } = await openTestWarehouse(4);
/** What is left of names once `acme` is forgotten, and once two others are, too. */
let afterAcme: Awaited<ReturnType<typeof traces>>;
let afterOthers: typeof afterAcme;
let previewed: Awaited<ReturnType<typeof previewForget>>;
let erased: typeof previewed;

beforeAll(async () => {
  await addAccounts(...names);
  await run('run', { failures });
  await run('waiting', { failures, ended: 'account acme: the database is down' });
  await run('ended', { ended: 'account acme eu: no; acme-eu and acme.de and acme_2 neither' });
  await run('elsewhere', { ended: 'account mail: no' });
  for (const name of names) await run(`backfill --account ${name.includes(' ') ? `'${name}'` : name}`, {});
  await run('digest --digest acme', {});
  await sql`update etl.runs set retry_at = now() where command = 'waiting'`.execute(warehouse);
  for (const name of names)
    await sql`insert into etl.alerts (alert, title) values
      (${`TOKEN_REFUSED/${name}`}, ${`${name}: refused`}),
      (${`DIGEST_INCOMPLETE/${name}/2026-03-02`}, ${`Digest went out incomplete: ${name} missing`})`.execute(
      warehouse,
    );
  await sql`
    with mail as (
      insert into etl.mails (name, every, number, day, mime, subject, built_at)
      values ('All', 'day', 1, '2026-03-02', 'm', 's', now()) returning mail_id),
    mailed as (
      insert into etl.mailed_periods (name, every, day, mail_id, account_id, state, attempts)
      select 'All', 'day', date '2026-03-02', mail_id, account_id, 'whole', 100
      from mail, warehouse.accounts where name in ('acme', '7'))
    insert into etl.deliveries (mail_id, recipient, message_id, state, reply)
    select mail_id, state, state, state, 'reply' from mail,
      unnest('{pending,failed,sending,given_up,unknown,sent,written}'::text[]) state`.execute(warehouse);
  await sql`
    insert into etl.deliveries (mail_id, recipient, message_id, state, reply, skipped_at)
    select mail_id, 'skipped', 'skipped', 'unknown', 'reply', '2026-03-03' from etl.mails`.execute(warehouse);
  // A mail that nobody got, and a decision about that account alone.
  await sql`
    with mail as (
      insert into etl.mails (name, every, number, day, built_at) values ('All', 'day', 2, '2026-03-03', now()) returning mail_id),
    sent as (
      insert into etl.deliveries (mail_id, recipient, message_id, state)
      select mail_id, 'nobody', 'nobody', 'failed' from mail)
    insert into etl.mailed_periods (name, every, day, mail_id, account_id, state)
    select 'All', 'day', date '2026-03-03', mail_id, account_id, 'whole' from mail, warehouse.accounts where name = 'acme'
    union all
    select 'All', 'day', '2026-03-02', null, account_id, 'skipped' from warehouse.accounts where name = 'acme'`.execute(
    warehouse,
  );
  const acme = (await readForgettable(warehouse)).find(({ name }) => name === 'acme');
  const load = await warehouse.startTransaction().execute();
  await sql`select from warehouse.accounts for update`.execute(load);
  await sql`lock table etl.response_bodies in exclusive mode`.execute(load);
  previewed = await previewForget(warehouse, acme!).finally(() => load.rollback().execute());
  erased = await forgetAccount(warehouse, acme!);
  afterAcme = await traces();
  await forget('7');
  await forget('mail');
  afterOthers = await traces();
});

async function run(command: string, more: object): Promise<void> {
  await sql`insert into etl.runs (kind, command, run_date, host, process_id, summary)
    values ('nightly', ${command}, '2026-03-02', 'here', 1, ${JSON.stringify(summary(more))}::jsonb)`.execute(
    warehouse,
  );
}

async function traces() {
  const of = async (query: ReturnType<typeof sql<{ value: unknown }>>) =>
    (await read(query)).map(({ value }) => value);
  return {
    summaries: await of(sql`
      select summary as value from etl.runs where command in ('run', 'waiting') order by run_id`),
    ended: await of(sql`
      select summary ->> 'ended' as value from etl.runs where command in ('ended', 'elsewhere') order by run_id`),
    commands: await of(sql`
      select command as value from etl.runs where command ~ '^(backfill|digest)' order by run_id`),
    alerts: await of(sql`select alert as value from etl.alerts order by alert collate "C"`),
    deliveries: await of(sql`
      select concat_ws(' ', recipient, state, reply,
        case when skipped_at < '2026-03-04' then 'skipped before' when skipped_at is not null then 'skipped' end) as value
      from etl.deliveries order by delivery_id`),
    mails: await of(sql`
      select concat_ws(' ', number, day, coalesce(convert_from(mime, 'UTF8'), 'erased')) as value from etl.mails order by number`),
    mailed: await of(sql`
      select concat_ws(' ', a.name, p.state, p.attempts) as value
      from etl.mailed_periods p left join warehouse.accounts a using (account_id) order by 1`),
  };
}

async function forget(name: string, through = warehouse) {
  const account = (await readForgettable(warehouse)).find((each) => each.name === name)!;
  return await forgetAccount(through, account);
}

/** An account that comes later, and its id. */
const add = async (name: string): Promise<number> => (await addAccounts(name))[0]!;

const firstRun = async () => (await read(sql<{ id: number }>`select min(run_id) as id from etl.runs`))[0]!.id;

/** Through a connection that no lock holds up for long. */
async function forgetImpatiently(name: string): Promise<void> {
  const impatient = openWarehouse(withSetting(databaseUrl, 'lock_timeout=60s'), 1);
  await forget(name, impatient).finally(() => impatient.destroy());
}

async function read<Row>(query: ReturnType<typeof sql<Row>>): Promise<Row[]> {
  return (await query.execute(warehouse)).rows;
}

it('counts before what it then erases, and waits for no load to count it', () => {
  expect(previewed).toEqual(erased);
  expect(erased.map(({ table }) => table)).toEqual(
    expect.arrayContaining(['etl.deliveries', 'etl.mails', 'etl.mailed_periods', 'etl.alerts', 'etl.runs']),
  );
});

it('takes every failure that names it from what runs recorded, also from one that waits for its retry', () => {
  const left = failuresWithout((name) => name.includes('acme'));
  expect(afterAcme.summaries).toEqual([
    summary({ failures: left }),
    summary({ failures: left, ended: 'an error of an account that was erased' }),
  ]);
});

it('erases the error that ended a run if that contains its name', () => {
  expect(afterAcme.ended).toEqual(['an error of an account that was erased', 'account mail: no']);
});

it('cuts the command lines that contain its name', () => {
  expect(afterAcme.commands).toEqual([
    ...['backfill', 'backfill', 'backfill', 'backfill', 'backfill'],
    'backfill --account 7',
    'backfill --account mail',
    'digest',
  ]);
});

it('deletes the alerts that name it', () => {
  expect(afterAcme.alerts).toEqual([
    'DIGEST_INCOMPLETE/7/2026-03-02',
    'DIGEST_INCOMPLETE/mail/2026-03-02',
    'TOKEN_REFUSED/7',
    'TOKEN_REFUSED/mail',
  ]);
});

it('asks nobody any more about what was, or may not have been, delivered of a digest about others, too', () => {
  expect(afterAcme.deliveries).toEqual([
    'pending given_up an account in it was erased skipped',
    'failed given_up an account in it was erased skipped',
    'sending sending reply skipped',
    'given_up given_up reply skipped',
    'unknown unknown reply skipped',
    'sent sent reply',
    'written written reply',
    'skipped unknown reply skipped before',
  ]);
});

it('leaves the figures of the others in a mail that somebody got, and nothing of one that nobody got', () => {
  expect([afterAcme.mails, afterAcme.mailed]).toEqual([['1 2026-03-02 erased'], ['7 whole 100', 'erased']]);
  // The period stays mailed.
  expect([afterOthers.mails, afterOthers.mailed]).toEqual([[], ['skipped']]);
});

it('never takes a number of a summary for an account', () => {
  expect(afterOthers.summaries[0]).toEqual(summary({ failures: [] }));
});

it('waits neither for who reads the archive, as pg_dump does, nor has them wait', async () => {
  await add('read');
  const reader = await warehouse.startTransaction().execute();
  await sql`select from etl.response_bodies`.execute(reader);
  await forgetImpatiently('read').finally(() => reader.commit().execute());
  expect((await readForgettable(warehouse)).map(({ name }) => name)).not.toContain('read');
});

it('leaves a body to a load of another account that found it in the archive', async () => {
  const [accountId, runId] = [await add('shared'), await firstRun()];
  const response = serviceResponse('a body of two');
  await archiveDiscarded(warehouse, { runId, account: 'shared', day: null }, response, 0);
  const load = await warehouse.startTransaction().execute();
  await lockArchivedBodies(load, [response]);
  const forgotten = forget('shared');
  await lockWaits(databaseUrl, 1);
  const other = await read(sql<{ id: number }>`
    select account_id as id from warehouse.accounts where account_id <> ${accountId} limit 1`);
  const fetch = {
    runId,
    accountId: other[0]!.id,
    day: null,
    walk: null,
    sign: null,
    response,
    isBodyArchived: true,
  };
  await archiveResponses(load, [{ ...fetch, fetchedAt: '2026-03-03T00:00:00Z', decision: 'loaded' }]);
  await load.commit().execute();
  await forgotten;
  const kept = await read(sql<{ kept: boolean }>`
    select exists (select from etl.response_bodies where sha256 = ${response.sha256}) as kept`);
  expect(kept).toEqual([{ kept: true }]);
});

it('waits for a load of the account, and erases what that wrote; no load of another holds it up', async () => {
  const [slow, other] = [await add('slow'), await add('other')];
  const window = { day: '2026-03-02', fetchedAt: '2026-03-03T00:00:00Z', response: 1 };
  const erased: Promise<unknown>[] = [];
  await inTransaction(warehouse, async (load) => {
    await lockEntry(load, { accountId: slow, ...window });
    await sql`insert into etl.campaign_days (account_id, day, callset_id, loaded_at)
      values (${slow}, '2026-03-02', 1, now())`.execute(load);
    await forgetImpatiently('other');
    erased.push(forget('slow'));
    await lockWaits(databaseUrl, 1);
  });
  await Promise.all(erased);
  const left = await read(sql`select account_id from etl.campaign_days
    where account_id in (${slow}, ${other})`);
  expect(left).toEqual([]);
});

it('keeps the body that a response of another account comes with while it erases', async () => {
  const id = await add('going');
  await add('staying');
  const runId = await firstRun();
  const response = serviceResponse('shared');
  const keep = (account: string) => archiveDiscarded(warehouse, { runId, account, day: null }, response, 0);
  await keep('going');
  await sql`insert into etl.walks (account_id, run_date, day, started_at)
    values (${id}, '2026-03-02', '2026-03-02', now())`.execute(warehouse);
  const working: Promise<unknown>[] = [];
  await inTransaction(warehouse, async (transaction) => {
    // Walks go after the bodies: there it waits.
    await sql`select from etl.walks where account_id = ${id} for update`.execute(transaction);
    working.push(forget('going'));
    await lockWaits(databaseUrl, 1);
    const kept = keep('staying');
    working.push(kept);
    await Promise.race([kept, lockWaits(databaseUrl, 2)]);
  });
  await Promise.all(working);
  const [row] = await read(sql<{ whole: boolean }>`select bool_and(b.sha256 is not null) as whole
    from etl.responses f left join etl.response_bodies b using (sha256)
    where f.account_id = (select account_id from warehouse.accounts where name = 'staying')`);
  expect(row).toEqual({ whole: true });
});

it('unlinks those whose client list it was, and no others', async () => {
  const [east, west, far] = [await add('east'), await add('west'), await add('far')];
  for (const [account, of] of [
    [east, east],
    [west, east],
    [far, far],
  ])
    await sql`update warehouse.accounts set listed_by_account_id = ${of}, listed_client_id = 1
      where account_id = ${account}`.execute(warehouse);
  const link = { table: 'warehouse.accounts', rows: 1, what: 'link to its clients' };
  expect(await forget('east')).toContainEqual(link);
  const left = await read(sql`select account_id as id, listed_by_account_id as of from warehouse.accounts
    where account_id in (${west}, ${far}) order by 1`);
  expect(left).toEqual([
    { id: west, of: null },
    { id: far, of: far },
  ]);
  expect(await forget('far')).toEqual([{ ...link, what: 'rows' }]);
});
