import { afterEach, describe, expect, it } from 'vitest';
import type { Middleware } from '../../src/simulator/middleware.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const campaigns = (attempts: number) => ({
  body: JSON.stringify({ result: [{ callsetid: 1, campaign: 'spring', attempts, connects: 1 }] }),
});
const clients = { body: JSON.stringify({ page: 1, pages: 1, data: [{ clientid: 7, clientname: 'Ana' }] }) };

const run = (settings = {}) =>
  callsheet(['run', '--day', '2026-03-02', '--account', 'valley', '--no-digest'], {
    ...world.environment,
    RETRIES: '0',
    ...settings,
  });
const replay = (...more: string[]) =>
  callsheet(['replay', '--from', '2000-01-01', '--to', '2999-12-31', ...more], world.environment);

/** As if the reader of that time had taken what it got for no valid response, and the night had failed. */
async function failedThen(): Promise<void> {
  await world.query(
    `update etl.responses set decision = 'discarded', rows = null, counts = null where day is not null`,
  );
  await world.query(`truncate etl.campaign_days, warehouse.account_days cascade`);
  await world.query(`update etl.windows set state = 'failed', content_hash = null, loaded_at = null, fetched_at = null,
    synced_run_date = null, same_since_run_date = null, failed_at = now(), failure = 'invalid response'`);
}

const attempts = async () =>
  (await world.query<{ attempts: number }>('select attempts::int from etl.campaign_days')).map(
    (row) => row.attempts,
  );
const decisions = async () =>
  (
    await world.query<{ line: string }>(
      `select concat_ws(' ', operation, status, decision) as line from etl.responses order by response_id`,
    )
  ).map(({ line }) => line);

describe('a night whose responses another reader discarded', () => {
  it('is loaded by replay --reread, its failure is over, and a plain replay changes nothing before and after', async () => {
    world = await openWorld({
      intercept: ({ operation }) => (operation === 'getClients' ? clients : campaigns(5)),
    });
    expect(await run()).toMatchObject({ code: 0 });
    await failedThen();
    expect(await replay()).toMatchObject({ code: 0 });
    expect(await attempts()).toEqual([]);

    const reread = await replay('--reread');
    expect(reread).toMatchObject({ code: 0, stdout: '' });
    expect(reread.stderr).toContain('responses read again: 1 loaded, 0 held back, 0 as before');
    const check = async () => {
      expect(await attempts()).toEqual([5]);
      expect(await world.query('select state, failed_at, failure from etl.windows')).toEqual([
        { state: 'loaded', failed_at: null, failure: null },
      ]);
      expect(await decisions()).toEqual([
        'getClients 200 loaded',
        'campaignSummary 200 discarded',
        'campaignSummary 200 loaded',
      ]);
      expect(await disagreements(world)).toEqual([]);
    };
    await check();
    expect(await replay()).toMatchObject({ code: 0 });
    await check();
    expect((await replay('--reread')).stderr).toContain('0 loaded, 0 held back, 0 as before');
    await check();
  });
});

describe('replay --reread', () => {
  it('leaves what came with an error status, and what a later attempt of the run replaced', async () => {
    let nth = 0;
    const serve: Middleware = ({ operation }) => {
      if (operation === 'getClients') return clients;
      nth++;
      if (nth === 1) return { status: 503, ...campaigns(1) };
      return nth === 2 ? { body: '{"result":"busy"}' } : campaigns(3);
    };
    world = await openWorld({ intercept: serve });
    expect(await run({ RETRIES: '3' })).toMatchObject({ code: 0 });
    await world.query(`update etl.responses set sha256 = l.sha256 from etl.responses l
      where l.decision = 'loaded' and l.day is not null and etl.responses.decision = 'discarded'`);
    const before = await decisions();
    expect(before.filter((line) => line.endsWith('discarded'))).toHaveLength(2);
    const { code, stderr } = await replay('--reread');
    expect(code).toBe(0);
    expect(stderr).toContain('responses read again: 0 loaded, 0 held back, 0 as before');
    expect(await decisions()).toEqual(before);
    expect(await attempts()).toEqual([3]);
  });

  it('leaves a response that was requested once more, because a count beside its rows announced more', async () => {
    const rows = (listed: number) => ({
      body: JSON.stringify({
        campaigns: 4,
        reports: 4,
        result: [1, 2, 3, 4]
          .slice(0, listed)
          .map((callsetid) => ({ callsetid, campaign: 'spring', attempts: 5 })),
      }),
    });
    const down = { status: 503, body: '' };
    let responses: (typeof down | ReturnType<typeof rows>)[] = [];
    world = await openWorld({
      intercept: ({ operation }) => (operation === 'getClients' ? clients : (responses.shift() ?? rows(4))),
    });
    const days = ['--from', '2026-02-26', '--to', '2026-03-02', '--account', 'valley', '--no-digest'];
    expect(await callsheet(['run', ...days], world.environment)).toMatchObject({ code: 0 });
    responses = [rows(3), down, down];
    await run();
    expect(await decisions()).toContain('campaignSummary 200 discarded');
    const { code, stderr } = await replay('--reread');
    expect(code).toBe(0);
    expect(stderr).toContain('responses read again: 0 loaded, 0 held back, 1 as before');
    const current = `select 1 from etl.campaign_days where day = '2026-03-02' and withdrawn_at is null`;
    expect(await world.query(current)).toHaveLength(4);
    expect(await world.query('select 1 from warehouse.campaign_day_restatements')).toEqual([]);
  });

  it('loads as suspicious what a count beside its rows announces more of', async () => {
    const rows = (listed: number) => ({
      body: JSON.stringify({
        campaigns: 4,
        result: [1, 2, 3, 4]
          .slice(0, listed)
          .map((callsetid) => ({ callsetid, campaign: 'spring', attempts: 5 })),
      }),
    });
    let listed = 4;
    world = await openWorld({
      intercept: ({ operation }) => (operation === 'getClients' ? clients : rows(listed)),
    });
    const days = ['--from', '2026-02-26', '--to', '2026-03-02', '--account', 'valley', '--no-digest'];
    expect(await callsheet(['run', ...days], world.environment)).toMatchObject({ code: 0 });
    listed = 3;
    await run();
    // As if the reader of that time had not read it.
    await world.query(`delete from etl.responses where decision = 'discarded'`);
    await world.query(`update etl.responses set decision = 'unreadable', rows = null, counts = null, disagreeing = '{}'
      where rows = 3`);
    const { stderr } = await replay('--reread');
    expect(stderr).toContain('responses read again: 1 loaded, 0 held back');
    expect(
      await world.query('select decision, counts, disagreeing from etl.responses where rows = 3'),
    ).toEqual([{ decision: 'loaded', counts: { campaigns: 4 }, disagreeing: ['campaigns'] }]);
    expect(await disagreements(world)).toEqual([]);
  });

  it('holds what would empty the day, as a run would, and applies what came later', async () => {
    let answer = campaigns(4);
    world = await openWorld({
      intercept: ({ operation }) => (operation === 'getClients' ? clients : answer),
    });
    await run();
    answer = { body: JSON.stringify({ result: [] }) };
    await run();
    expect((await decisions()).at(-1)).toBe('campaignSummary 200 held');
    await world.query(`update etl.responses set decision = 'unreadable' where decision = 'held'`);
    await replay();
    expect(await world.query('select 1 from etl.windows where held_hash is not null')).toEqual([]);
    expect((await replay('--reread')).stderr).toContain('0 loaded, 1 held back');
    expect((await decisions()).at(-1)).toBe('campaignSummary 200 held');
    expect(await attempts()).toEqual([4]);
    expect(await world.query('select 1 from etl.windows where held_hash is not null')).toHaveLength(1);
  });
});

describe('the quarantine of a day', () => {
  it('is left by records that replay reads, and by no others', async () => {
    const unreadable = { callsetid: 2, campaign: 'summer', attempts: -1 };
    const body = JSON.stringify({ result: [JSON.parse(campaigns(5).body).result[0], unreadable] });
    world = await openWorld({
      intercept: ({ operation }) => (operation === 'getClients' ? clients : { body }),
    });
    expect(await run()).toMatchObject({ code: 0 });
    const reasons = async () =>
      (
        await world.query<{ reason: string }>(
          'select reason from etl.rejects where current order by reject_id',
        )
      ).map(({ reason }) => reason);
    expect(await reasons()).toEqual([expect.stringMatching(/^attempts: /)]);
    // As if the reader of that time couldn't read the other record, either.
    await world.query(
      `insert into etl.rejects (account_id, operation, day, payload, payload_sha256, reason)
       select account_id, operation, day, '{"callsetid":1}', sha256('1'), 'of that time' from etl.rejects`,
    );
    expect(await replay()).toMatchObject({ code: 0 });
    expect(await reasons()).toEqual([expect.stringMatching(/^attempts: /)]);
  });

  it('is left by a record that --reread reads, which is loaded like one that has just arrived', async () => {
    world = await openWorld({
      intercept: ({ operation }) => (operation === 'getClients' ? clients : campaigns(5)),
    });
    expect(await run()).toMatchObject({ code: 0 });
    // As if the reader of that time couldn't read the record.
    await world.query('truncate etl.campaign_days, warehouse.account_days cascade');
    await world.query(`update etl.windows set content_hash = 'none'`);
    await world.query(
      `insert into etl.rejects (account_id, operation, day, payload, payload_sha256, reason)
       select account_id, operation, day, '{"callsetid":1}', sha256('1'), 'of that time' from etl.responses where day is not null`,
    );
    expect((await replay('--reread')).stderr).toContain('responses read again: 1 loaded, 0 held back');
    expect(await attempts()).toEqual([5]);
    expect(await world.query('select 1 from etl.rejects where current')).toEqual([]);
    expect(await decisions()).toEqual([
      'getClients 200 loaded',
      'campaignSummary 200 loaded',
      'campaignSummary 200 loaded',
    ]);
    expect((await replay('--reread')).stderr).toContain('0 loaded, 0 held back, 0 as before');
  });
});

it('the code of an error survives a replay', async () => {
  world = await openWorld({
    intercept: ({ operation }) => (operation === 'getClients' ? clients : campaigns(5)),
  });
  expect(await run()).toMatchObject({ code: 0 });
  await world.query(
    `update etl.windows set failed_at = now(), failure = 'it', failure_code = 'TOKEN_REFUSED'`,
  );
  expect(await replay()).toMatchObject({ code: 0 });
  expect(await world.query('select failure, failure_code from etl.windows')).toEqual([
    { failure: 'it', failure_code: 'TOKEN_REFUSED' },
  ]);
});
