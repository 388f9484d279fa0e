import { afterEach, describe, expect, it } from 'vitest';
import { takeRunLock } from '../../src/warehouse/ledger/run-lock.ts';
import { callsheet, ended, startCallsheet } from '../support/callsheet.ts';
import { startWatchdog, type Watchdog, watchdogKey } from '../support/watchdog.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

/** Nothing is looked at of its mail. */
const night = ['run', '--no-digest'];

const paths = ({ pings }: Watchdog) => pings.map(({ path }) => path);

describe('a watchdog of nights', () => {
  it('is told that a night begins, and that all is well', async () => {
    world = await openWorld();
    await using watchdog = await startWatchdog();
    const { code, stderr } = await callsheet(night, {
      ...world.environment,
      HEALTHCHECK_URL: watchdog.url,
    });
    expect(code).toBe(0);
    expect(paths(watchdog)).toEqual(['/start', '']);
    expect(stderr).not.toContain(watchdogKey);
  });

  it.each([
    ['the token is refused', 401, '/77'],
    ['the service is down', 503, '/69'],
  ])('is told the exit code when %s', async (_, status, path) => {
    world = await openWorld({ intercept: () => ({ status, body: '{}' }) });
    await using watchdog = await startWatchdog();
    const settings = { HEALTHCHECK_URL: `${watchdog.url}/`, RETRIES: '0' };
    const { code } = await callsheet(night, { ...world.environment, ...settings });
    expect(`/${code}`).toBe(path);
    expect(paths(watchdog)).toEqual(['/start', path]);
  });

  it('is told that the database is away', async () => {
    world = await openWorld();
    await using watchdog = await startWatchdog();
    const away = new URL(world.databaseUrl);
    away.port = '1';
    const settings = { HEALTHCHECK_URL: watchdog.url, DATABASE_URL: away.href };
    expect(await callsheet(night, { ...world.environment, ...settings })).toMatchObject({ code: 69 });
    expect(paths(watchdog)).toEqual(['/start', '/69']);
  });

  it('is told that a night was interrupted, by a process that ends at once all the same', async () => {
    const asked = Promise.withResolvers<void>();
    world = await openWorld({
      intercept: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    await using watchdog = await startWatchdog();
    const child = startCallsheet(night, { ...world.environment, HEALTHCHECK_URL: watchdog.url });
    const ending = ended(child);
    await asked.promise;
    child.kill('SIGTERM');
    expect(await ending).toMatchObject({ code: 143 });
    expect(paths(watchdog)).toEqual(['/start', '/143']);
    expect(await world.query('select outcome, exit_code from etl.runs')).toEqual([
      { outcome: 'interrupted', exit_code: 143 },
    ]);
  });

  it('is left to the run that is at work by one that finds it there', async () => {
    world = await openWorld();
    await using watchdog = await startWatchdog();
    const lock = await takeRunLock(world.databaseUrl);
    await world.query(
      `insert into etl.runs (kind, command, run_date, host, process_id) values ('nightly', 'run', current_date, 'x', 1)`,
    );
    const { code } = await callsheet(night, { ...world.environment, HEALTHCHECK_URL: watchdog.url });
    await lock!.release();
    expect(code).toBe(75);
    expect(paths(watchdog)).toEqual(['/start']);
  });

  it('is not told of single days and accounts, nor of a dry run', async () => {
    world = await openWorld();
    await using watchdog = await startWatchdog();
    const environment = { ...world.environment, HEALTHCHECK_URL: watchdog.url };
    for (const args of [['--day', '2026-03-02'], ['--account', 'valley'], ['--dry-run']])
      expect(await callsheet([...night, ...args], environment)).toMatchObject({ code: 0 });
    expect(paths(watchdog)).toEqual([]);
  });

  it('that is busy is asked once more', async () => {
    world = await openWorld();
    await using watchdog = await startWatchdog({ busy: 1 });
    const { stderr } = await callsheet(night, { ...world.environment, HEALTHCHECK_URL: watchdog.url });
    expect(paths(watchdog)).toEqual(['/start', '/start', '']);
    expect(stderr).not.toContain('HEALTHCHECK_URL');
  });

  it.each([
    ['is away', true, 'ECONNREFUSED'],
    ['answers 503', false, 'it answers 503'],
  ])('that %s fails no run, and the log says so without its address', async (_, away, fault) => {
    world = await openWorld();
    await using watchdog = await startWatchdog({ busy: 99 });
    if (away) await watchdog[Symbol.asyncDispose]();
    const settings = { HEALTHCHECK_URL: watchdog.url, LOG_LEVEL: 'trace' };
    const { code, stderr } = await callsheet(night, { ...world.environment, ...settings });
    expect(code).toBe(0);
    const said = stderr.split('\n').filter((line) => line.includes('HEALTHCHECK_URL'));
    expect(said).toEqual([
      expect.stringContaining(`the start (${fault})`),
      expect.stringContaining(`(${fault})`),
    ]);
    expect(stderr).not.toContain(watchdogKey);
  });
});
