import { afterEach, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import type { Middleware } from '../../src/simulator/middleware.ts';
import { callsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const day = '2026-03-02';
const [north] = generateDataset().accounts;

/** Nothing is looked at of its mail: it sends none. */
const command = ['run', '--day', day, '--no-digest'];

async function run(intercept: Middleware, settings: World['environment'] = {}) {
  world = await openWorld({ intercept });
  const environment = {
    ...world.environment,
    ACCOUNTS_FILE: '',
    SIDTOKEN: north!.token,
    PAGE_LIMIT: '3',
    ...settings,
  };
  return await callsheet(command, environment);
}

const respond = (value: unknown) => ({ body: JSON.stringify(value) });
const clients = (records: object[], page = 1, pages = 1) => respond({ page, pages, limit: 3, data: records });
const campaigns = (records: object[]) => respond({ campaigns: 1, reports: 1, result: records });

describe('an unusual response', () => {
  it('may have a word in it that is a password of ours: it stays a word', async () => {
    const settings = {
      SMTP_URL: 'smtp://u:sales@127.0.0.1:1',
      DIGEST_FROM: 'a@example.com',
      DIGEST_TO: 'b@example.com',
    };
    await run(
      ({ operation }) =>
        operation === 'getClients' ? clients([{ clientid: 1, clientname: 'Spring sales' }]) : campaigns([]),
      settings,
    );
    expect(await world.query('select name from warehouse.clients')).toEqual([{ name: 'Spring sales' }]);
  });

  it('may have a word in it that is the token: values keep it', async () => {
    const records = [
      { clientid: 1, clientname: 'Product demo', plan: 'demo' },
      { clientid: 2, clientname: 'demo' },
    ];
    const campaign = { callsetid: 1, campaign: 'Product demo', attempts: 1 };
    const { stderr } = await run(
      ({ operation }) => (operation === 'getClients' ? clients(records) : campaigns([campaign])),
      { SIDTOKEN: 'demo' },
    );
    expect(await world.query('select name, extra from warehouse.clients order by client_id')).toEqual([
      { name: 'Product demo', extra: { plan: 'demo' } },
      { name: 'demo', extra: {} },
    ]);
    expect(await world.query('select campaign from etl.campaign_days')).toEqual([
      { campaign: 'Product demo' },
    ]);
    expect(stderr).toMatch(/the session token of account main has fewer than 12 characters/);
  });

  it('may have fields named as what every object has: they change nothing', async () => {
    const fields = '"__proto__":{"a":1},"constructor":"b"';
    await run(({ operation }) => ({
      body:
        operation === 'getClients'
          ? `{"page":1,"pages":1,"limit":3,"data":[{"clientid":1,${fields}}]}`
          : `{"campaigns":1,"reports":1,"result":[{"callsetid":1,${fields}}]}`,
    }));
    for (const table of ['clients', 'campaign_days'])
      expect(await world.query(`select extra::text from warehouse.${table}`)).toEqual([
        { extra: '{"constructor": "b"}' },
      ]);
  });

  it('may be an empty list beside an error: what was loaded stays, however often it comes', async () => {
    let expired = false;
    const serve: Middleware = ({ operation }) => {
      const error = expired ? { error: 'session expired' } : {};
      if (operation === 'getClients')
        return respond({ page: 1, pages: 1, data: expired ? [] : [{ clientid: 1 }], ...error });
      const result = expired ? [] : [{ callsetid: 1, campaign: 'One', attempts: 12 }];
      return respond({ campaigns: result.length, reports: result.length, result, ...error });
    };
    await run(serve);
    expired = true;
    const environment = { ...world.environment, ACCOUNTS_FILE: '', SIDTOKEN: north!.token };
    for (let times = 0; times < 2; times++) {
      const { code, stderr } = await callsheet(command, environment);
      expect(code).toBe(77);
      expect(stderr).toMatch(/refuses the session token \(no records, and error: session expired\)/);
    }
    expect(await world.query('select attempts::int, withdrawn_at from etl.campaign_days')).toEqual([
      { attempts: 12, withdrawn_at: null },
    ]);
    expect(await world.query('select held_hash from etl.windows')).toEqual([{ held_hash: null }]);
  });

  it('may hold an impossible balance: it is left in extra, and the run goes on', async () => {
    const balance = '9'.repeat(60_000);
    const { code } = await run(({ operation }) =>
      operation === 'getClients' ? clients([{ clientid: 1, balance }]) : campaigns([]),
    );
    expect(code).toBe(0);
    expect(await world.query('select balance from warehouse.clients')).toEqual([{ balance: null }]);
  });

  it('may have one page of which nothing can be read: the others load', async () => {
    const { code, stderr } = await run(({ operation, params }) => {
      if (operation !== 'getClients') return campaigns([]);
      const page = Number(params.get('page') ?? 1);
      return clients(
        [1, 2, 3].map((row) => ({ clientid: page === 2 ? null : page * 10 + row })),
        page,
        3,
      );
    });
    expect(code).toBe(75);
    expect(stderr).toMatch(/page 2 failed: invalid response \(none of 3 records can be read\)/);
    expect(
      (await world.query('select client_id::int as id from warehouse.clients order by 1')).map(
        (row) => row.id,
      ),
    ).toEqual([11, 12, 13, 31, 32, 33]);
  });

  it('may lack the envelope once: it is requested again', async () => {
    const { code } = await run(({ operation, nth }) => {
      if (nth === 1) return respond({});
      return operation === 'getClients' ? clients([{ clientid: 1 }]) : campaigns([]);
    });
    expect(code).toBe(0);
  });

  it('may echo the request, token parameter and all, without being an error about a token', async () => {
    const { code, stderr } = await run(
      ({ params }) => respond({ error: 'out of order', request: `/x.wr?sidtoken=${params.get('sidtoken')}` }),
      { RETRIES: '0' },
    );
    expect(code).toBe(69);
    expect(stderr).toMatch(/invalid response/);
  });

  it('may hold a record that can not be read: its current row stays, and the run reports how many', async () => {
    const current = { callsetid: 4, campaign: 'Four', attempts: 40, busies: 0, connects: 1, liveanswers: 1 };
    let spoilt = false;
    const serve: Middleware = ({ operation }) =>
      operation === 'getClients'
        ? clients([])
        : campaigns([{ ...current, callsetid: 3 }, spoilt ? { ...current, attempts: -1 } : current]);
    await run(serve);
    spoilt = true;
    const environment = { ...world.environment, ACCOUNTS_FILE: '', SIDTOKEN: north!.token };
    const second = await callsheet(command, environment);
    expect(second).toMatchObject({ code: 0, stderr: expect.stringMatching(/1 record in quarantine/) });
    expect(await world.query('select attempts::int, campaigns::int from warehouse.account_days')).toEqual([
      { attempts: 80, campaigns: 2 },
    ]);
    expect(await world.query('select 1 from warehouse.campaign_day_restatements')).toEqual([]);
  });
});
