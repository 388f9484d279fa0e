import { afterEach, describe, expect, it } from 'vitest';
import { callsheet, ended, startCallsheet } from '../../support/callsheet.ts';
import { runInProgress } from '../../support/run-in-progress.ts';
import { startWatchdog, type Watchdog, watchdogKey } from '../../support/watchdog.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
afterEach(() => world.close());

/** Nothing is looked at of its mail. */
const night = ['run', '--no-digest'];

const paths = ({ pings }: Watchdog) => pings.map(({ path }) => path);

describe('a watchdog', () => {
  it('is pinged at the start of a run, and at its success', async () => {
    world = await openWorld();
    await using watchdog = await startWatchdog();
    const { code, stderr } = await callsheet(night, {
      ...world.environment,
      HEALTHCHECK_URL: watchdog.url,
    });
    expect(code).toBe(0);
    expect(paths(watchdog)).toEqual(['/start', '']);
    expect(watchdog.pings[1]!.body).toMatch(/^\[callsheet .*\] all clear\n/);
    expect(stderr).not.toContain(watchdogKey);
  });

  it.each([
    ['the token is refused', 401, '/77'],
    ['the service is down', 503, '/69'],
  ])('is pinged with the exit code when %s', async (_, status, path) => {
    world = await openWorld({ intercept: () => ({ status, body: '{}' }) });
    await using watchdog = await startWatchdog();
    const settings = { HEALTHCHECK_URL: `${watchdog.url}/`, RETRIES: '0' };
    const { code } = await callsheet(night, { ...world.environment, ...settings, INSTALLATION: 'here' });
    expect(`/${code}`).toBe(path);
    expect(paths(watchdog)).toEqual(['/start', path]);
    // It shows what is wrong, in the words of every other reader.
    expect(watchdog.pings[1]!.body).toMatch(
      /^\[callsheet here\] 1 to do: .*\n\n(Token refused|Service unavailable)/,
    );
  });

  it('is pinged when the database is unreachable', async () => {
    world = await openWorld();
    await using watchdog = await startWatchdog();
    const away = new URL(world.databaseUrl);
    away.port = '1';
    const settings = { HEALTHCHECK_URL: watchdog.url, DATABASE_URL: away.href };
    expect(await callsheet(night, { ...world.environment, ...settings })).toMatchObject({ code: 69 });
    expect(paths(watchdog)).toEqual(['/start', '/69']);
    expect(watchdog.pings[1]!.body).toContain('Run ended: database unavailable');
  });

  it('is pinged when a run is interrupted, by a process that ends at once all the same', async () => {
    const requested = Promise.withResolvers<void>();
    world = await openWorld({
      intercept: () => {
        requested.resolve();
        return new Promise(() => {});
      },
    });
    await using watchdog = await startWatchdog();
    const child = startCallsheet(night, { ...world.environment, HEALTHCHECK_URL: watchdog.url });
    const ending = ended(child);
    await requested.promise;
    child.kill('SIGTERM');
    expect(await ending).toMatchObject({ code: 143 });
    expect(paths(watchdog)).toEqual(['/start', '/143']);
    expect(await world.query('select outcome, exit_code from etl.runs')).toEqual([
      { outcome: 'interrupted', exit_code: 143 },
    ]);
  });

  it('is left to the run in progress by one that finds it', async () => {
    world = await openWorld();
    await using watchdog = await startWatchdog();
    const other = await runInProgress(world.databaseUrl);
    const { code } = await callsheet(night, { ...world.environment, HEALTHCHECK_URL: watchdog.url });
    await other.release();
    expect(code).toBe(75);
    expect(paths(watchdog)).toEqual(['/start']);
  });

  it('is not pinged for single days and accounts, nor for a dry run', async () => {
    world = await openWorld();
    await using watchdog = await startWatchdog();
    const environment = { ...world.environment, HEALTHCHECK_URL: watchdog.url };
    for (const args of [['--day', '2026-03-02'], ['--account', 'valley'], ['--dry-run']])
      expect(await callsheet([...night, ...args], environment)).toMatchObject({ code: 0 });
    expect(paths(watchdog)).toEqual([]);
  });

  it('that is busy is pinged once more', async () => {
    world = await openWorld();
    await using watchdog = await startWatchdog({ busy: 1 });
    const { stderr } = await callsheet(night, { ...world.environment, HEALTHCHECK_URL: watchdog.url });
    expect(paths(watchdog)).toEqual(['/start', '/start', '']);
    expect(stderr).not.toContain('HEALTHCHECK_URL');
  });

  it.each([
    ['is away', true, 'ECONNREFUSED'],
    ['responds with 503', false, 'status 503'],
  ])('that %s fails no run, and is logged without its address', async (_, away, error) => {
    world = await openWorld();
    await using watchdog = await startWatchdog({ busy: 99 });
    if (away) await watchdog[Symbol.asyncDispose]();
    const settings = { HEALTHCHECK_URL: watchdog.url, LOG_LEVEL: 'trace' };
    const { code, stderr } = await callsheet(night, { ...world.environment, ...settings });
    expect(code).toBe(0);
    const warnings = stderr.split('\n').filter((line) => line.includes('HEALTHCHECK_URL'));
    expect(warnings).toEqual([
      expect.stringContaining(`the start (${error})`),
      expect.stringContaining(`(${error})`),
    ]);
    expect(stderr).not.toContain(watchdogKey);
  });
});
