import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import type { Middleware, ServiceResponse } from '../../../src/simulator/middleware.ts';
import { disagreements } from '../../support/agreement.ts';
import { callsheet, type Ended, startCallsheet } from '../../support/callsheet.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
afterEach(() => world.close());

/** Thirty windows. */
const command = ['backfill', '--from', '2026-03-01', '--to', '2026-03-10'];
const environment = () => ({ ...world.environment, CONCURRENCY: '3', RETRIES: '0' });
const again = () => callsheet(command, environment());

/** A service that does something at the nth request, and may respond otherwise from then on. */
async function openWorldWhere(nth: number, then: Middleware) {
  world = await openWorld({
    intercept(request, next) {
      requests.emit(String(request.nth));
      return request.nth >= nth ? then(request, next) : undefined;
    },
  });
}

const requests = new EventEmitter();
/** Resolves when the service gets that request, counted from 1. */
const requested = (nth: number) => once(requests, String(nth));

const tokenOf = (name: string) => generateDataset().accounts.find((each) => each.name === name)!.token;
const unavailable = { status: 503, body: 'maintenance' };
const logged = ({ stderr }: Ended, level: string) =>
  stderr
    .split('\n')
    .filter((line) => line.includes(`"level":"${level}"`))
    .map((line) => JSON.parse(line).msg);

const loaded = async (condition = 'true') =>
  (
    await world.query(`select from etl.windows join warehouse.accounts a using (account_id)
    where state = 'loaded' and ${condition}`)
  ).length;
const runs = () =>
  world.query('select outcome, exit_code, finished_at is null as open from etl.runs order by run_id');

const ending = 'ending once what is in flight is loaded; interrupt again to end at once';

describe('a backfill that is interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s loads what is in flight, ends with %i, and goes on later', async (signal, code) => {
    const warned = Promise.withResolvers<undefined>();
    await openWorldWhere(10, () => warned.promise);
    const child = startCallsheet(command, environment());
    const lines = createInterface(child.stderr);
    const all: string[] = [];
    lines.on('line', (line) => {
      all.push(line);
      if (line.includes(ending)) warned.resolve(undefined);
    });
    // Three at once: ten, eleven and twelve are in flight.
    await requested(12);
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([code, null]);
    expect(all.at(-1)).toBe(`callsheet: interrupted by ${signal}; run the same command to go on`);
    expect(all.filter((line) => line.includes(ending))).toHaveLength(1);
    expect(await runs()).toEqual([{ outcome: 'interrupted', exit_code: code, open: false }]);
    expect(world.simulator.journal).toHaveLength(12);
    expect(await loaded()).toBe(12);

    expect(await again()).toMatchObject({ code: 0 });
    expect(world.simulator.journal).toHaveLength(30);
    expect(await loaded()).toBe(30);
    expect(await disagreements(world)).toEqual([]);
  });

  it('twice ends immediately, whatever is in flight', async () => {
    const response = Promise.withResolvers<ServiceResponse>();
    await openWorldWhere(10, () => response.promise);
    const child = startCallsheet(command, environment());
    const exit = once(child, 'exit');
    await requested(10);
    child.kill('SIGINT');
    for await (const line of createInterface(child.stderr)) if (line.includes(ending)) break;
    child.kill('SIGINT');
    expect(await exit).toEqual([130, null]);
    expect(await disagreements(world)).toEqual([]);
    expect(await runs()).toEqual([{ outcome: null, exit_code: null, open: true }]);
    response.resolve(unavailable);
  });
});

describe('a backfill whose token is refused for one account', () => {
  const refused = /^account coast, campaigns of 2026-03-\d\d: .* refuses the session token/;

  it('from the start logs that once, loads the others, and ends with 77', async () => {
    world = await openWorld();
    world.simulator.revoke(tokenOf('coast'));
    const ending = await again();
    expect(ending).toMatchObject({ code: 77, stdout: '' });
    expect(logged(ending, 'error')).toEqual([expect.stringMatching(refused)]);
    expect(logged(ending, 'warn').at(-1)).toMatch(/^partial in [\d.]+ m?s: 20 days loaded, 10 failed$/);
    expect(await loaded()).toBe(20);
  });

  it('in the middle logs that once, too, however many of its days are in flight', async () => {
    await openWorldWhere(4, () => world.simulator.revoke(tokenOf('coast')) as undefined);
    const ending = await callsheet([...command, '--account', 'coast'], environment());
    expect(ending).toMatchObject({ code: 77, stdout: '' });
    expect(logged(ending, 'error')).toEqual([expect.stringMatching(refused)]);
    const count = await loaded(`a.name = 'coast'`);
    expect(count).toBeGreaterThanOrEqual(4);
    expect(logged(ending, 'warn').at(-1)).toMatch(
      new RegExp(`^partial in [\\d.]+ m?s: ${count} days loaded, ${10 - count} failed$`),
    );
  });
});

describe('a backfill of a service that is down', () => {
  const givenUp =
    /^given up after 6 failures in a row; the last one: account \w+, campaigns of .* 503 on every attempt/;

  it('gives up after twice as many failures as requests at once, logs that in one line, and ends with 69', async () => {
    world = await openWorld({ intercept: () => unavailable });
    const ending = await again();
    expect(ending).toMatchObject({ code: 69, stdout: '' });
    expect(logged(ending, 'error')).toEqual([expect.stringMatching(givenUp)]);
    expect(logged(ending, 'warn').at(-1)).toMatch(/^failed in [\d.]+ m?s: 0 days loaded, [678] failed$/);
    expect(world.simulator.journal.length).toBeLessThan(9);
    expect(await runs()).toEqual([{ outcome: 'failed', exit_code: 69, open: false }]);
  });

  it('in the middle ends with 75, and the same command goes on once it is up again', async () => {
    let down = true;
    await openWorldWhere(11, () => (down ? unavailable : undefined));
    const ending = await again();
    expect(ending).toMatchObject({ code: 75, stdout: '' });
    expect(logged(ending, 'error')).toEqual([expect.stringMatching(givenUp)]);
    expect(await loaded()).toBe(10);
    expect(await runs()).toEqual([{ outcome: 'partial', exit_code: 75, open: false }]);
    down = false;
    expect(await again()).toMatchObject({ code: 0, stdout: '' });
    expect(await loaded()).toBe(30);
    expect(await disagreements(world)).toEqual([]);
  });

  it('also logs the account whose token is refused, and ends with 77', async () => {
    world = await openWorld({ intercept: ({ account }) => (account === 'coast' ? undefined : unavailable) });
    world.simulator.revoke(tokenOf('coast'));
    const ending = await again();
    expect(ending).toMatchObject({ code: 77 });
    expect(logged(ending, 'error')).toEqual([
      expect.stringMatching(/^account coast, .* refuses the session token/),
      expect.stringMatching(givenUp),
    ]);
  });
});

it('a backfill that finds everything loaded sends no request, and logs that', async () => {
  world = await openWorld();
  const days = ['backfill', '--from', '2026-03-01', '--to', '2026-03-01'];
  expect(await callsheet(days, environment())).toMatchObject({ code: 0 });
  const ending = await callsheet(days, environment());
  expect(ending).toMatchObject({ code: 0, stdout: '' });
  expect(logged(ending, 'info')).toEqual([
    'every day from 2026-03-01 to 2026-03-01 is loaded',
    expect.stringMatching(/^done in [\d.]+ m?s: 0 days loaded$/),
  ]);
  expect(world.simulator.journal).toHaveLength(3);
});

it('the first run after a backfill logs how many windows it is going to sync, and why', async () => {
  world = await openWorld();
  const today = Temporal.Now.plainDateISO('UTC');
  const from = today.subtract({ days: 10 }).toString();
  const to = today.subtract({ days: 1 }).toString();
  expect(await callsheet(['backfill', '--from', from, '--to', to], environment())).toMatchObject({ code: 0 });
  // As if it had been on the day before.
  await world.query(
    'update etl.windows set synced_run_date = synced_run_date - 1, same_since_run_date = same_since_run_date - 1',
  );
  const ending = await callsheet(['run', '--no-digest'], environment());
  expect(logged(ending, 'info')[1]).toMatch(
    /^\d+ windows due: \d+ days before the last 3, missing or not yet confirmed by a second run$/,
  );
});
