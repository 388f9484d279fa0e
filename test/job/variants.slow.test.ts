import { afterAll, describe, expect, it } from 'vitest';
import { addDays } from '../../src/model/day.ts';
import type { ErrorCode } from '../../src/model/errors.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { disagreements } from '../support/agreement.ts';
import { runNight } from '../support/nights.ts';
import type { VariantName } from '../support/simulator/variants.ts';
import { startSimulator } from '../support/simulator.ts';
import { openWorld, type World } from '../support/world.ts';

/*
 * A good night, then one with a service of a variant that remembers requests or spoils walks: whatever was loaded by then
 * outlives them. What a single body may hold: test/service/response; a page: test/service/paging; an attempt:
 * test/service/http.
 */

const dataset = generateDataset();
const valley = dataset.accounts.find(({ name }) => name === 'valley')!;
const clients = dataset.clients('valley').length;
const [first, second] = ['2026-03-03', '2026-03-04'] as const;
const settings = {
  ACCOUNTS_FILE: '',
  SIDTOKEN: valley.token,
  ACCOUNT_NAME: 'valley',
  PAGE_LIMIT: '60',
  LOOKBACK_DAYS: '1',
};

const worlds: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

type Row = { readonly day: string; readonly id: number; readonly attempts: number };

const readRows = (world: World) =>
  world.query<Row>(
    `select day::text, callset_id::int as id, attempts::int from etl.campaign_days
     where withdrawn_at is null order by day, callset_id`,
  );

/** The campaigns that the service has of the day before a night. */
function truth(night: string): Row[] {
  const day = addDays(night, -1);
  const date = Temporal.PlainDate.from(day);
  return dataset
    .campaigns('valley', date, date)
    .map(({ callsetid, attempts }) => ({ day, id: callsetid, attempts }));
}

const openVariant = async (variant: VariantName) => {
  const world = await openWorld();
  const simulator = await startSimulator({ variants: [variant] });
  worlds.push(world, simulator);
  expect((await runNight(world, first, settings)).exitCode).toBe(0);
  const changed = { ...settings, SERVICE_BASE_URL: simulator.url };
  return { world, night: (date: string) => runNight(world, date, changed) };
};

const healed = { exitCode: 0, codes: [] };
const failed = (code: ErrorCode, exitCode = 75) => ({ exitCode, codes: [code] });

describe.concurrent('after a good night, a service that', () => {
  it.each<[VariantName, { exitCode: number; codes: readonly ErrorCode[] }]>([
    ['connection-reset', healed],
    ['body-cut', healed],
    ['pages-from-zero', healed],
    ['limit-clamped-silently', healed],
    ['limit-refused-in-200', healed],
    // A list that only changes: nobody is alerted for a week.
    ['row-removed-always', healed],
    ['pages-cut-by-half', failed('WALK_INCOMPLETE')],
    ['filtered-after-paging', failed('WALK_INCOMPLETE')],
    ['last-page-fails', failed('SERVICE_UNAVAILABLE')],
  ])('%s spoils no window, and takes no client away', async (variant, expected) => {
    const { world, night } = await openVariant(variant);
    const { exitCode, stats } = await night(second);
    expect({ exitCode, codes: stats.failures.map(({ code }) => code) }).toEqual(expected);
    expect(await readRows(world)).toEqual([first, second].flatMap(truth));
    const present = 'select from warehouse.clients where absent_at is null';
    expect(await world.query(present)).toHaveLength(clients);
    // Walks never delay a digest.
    expect(await world.query(`select from etl.mails`)).toHaveLength(2);
    expect(await disagreements(world)).toEqual([]);
  });

  it('refuses the token in the middle of a walk is an error of the token, or of the list, and takes nothing away', async () => {
    const { world, night } = await openVariant('token-expires');
    const { exitCode, stats } = await night(second);
    const codes = new Set(stats.failures.map(({ code }) => code));
    expect(codes.isSubsetOf(new Set(['TOKEN_REFUSED', 'CLIENT_LIST_REFUSED']))).toBe(true);
    expect(codes.size).toBeGreaterThan(0);
    expect(exitCode).toBe(codes.has('TOKEN_REFUSED') ? 77 : 75);
    expect(await readRows(world)).toEqual(expect.arrayContaining(truth(first)));
    expect(await world.query('select from warehouse.clients where absent_at is null')).toHaveLength(clients);
  });
});

it('a page that always fails is named by the error; all others are loaded and archived', async () => {
  const fault = {
    operation: 'getClients',
    page: 2,
    times: Number.POSITIVE_INFINITY,
    kind: 'status-500',
  } as const;
  const world = await openWorld({ faults: [fault] });
  worlds.push(world);
  const { exitCode, stats } = await runNight(world, first, { ...settings, RETRIES: '0' });
  expect(exitCode).toBe(75);
  expect(stats.failures).toMatchObject([{ detail: expect.stringMatching(/\(page 2 failed: .*status 500/) }]);
  expect(stats.clients).toMatchObject({ pages: 3, listed: 140, absent: 0 });
  expect(await world.query('select from warehouse.clients')).toHaveLength(140);
  const archived = await world.query<{ page: string }>(
    `select coalesce(request->>'page', '1') as page from etl.responses
     where operation = 'getClients' and status = 200 order by 1`,
  );
  expect(archived.map(({ page }) => page)).toEqual(['1', '3', '4']);
});
