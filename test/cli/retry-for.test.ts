import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callsheet, ended, startCallsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

/** A world whose service is down, and a schedule whose time has passed. */
async function openDown(): Promise<World> {
  const world = await openWorld({ intercept: () => ({ status: 503, body: '{}' }) });
  onTestFinished(() => world.close());
  await world.query(`update etl.migrations set timestamp = '2020-01-01'`);
  return { ...world, environment: { ...world.environment, SCHEDULE: '0 0 1 1 *', RETRIES: '0' } };
}

/** Sends SIGTERM to the process once its run waits for the retry. */
async function terminateWhileWaiting({ environment }: World, args: readonly string[]) {
  const child = startCallsheet(args, environment);
  const ending = ended(child);
  for await (const line of createInterface(child.stderr)) {
    const { msg } = JSON.parse(line);
    if (msg.startsWith('retry: ')) break;
  }
  const signalledAt = performance.now();
  child.kill('SIGTERM');
  const { code } = await ending;
  return { code, seconds: (performance.now() - signalledAt) / 1_000 };
}

const runs = (world: World) =>
  world.query('select number, outcome, exit_code::int as code, retry_at is not null as waits from etl.runs');

describe('SIGTERM while a run is to be retried', () => {
  it('ends run --retry-for at once with 143', async () => {
    const world = await openDown();
    const { code, seconds } = await terminateWhileWaiting(world, ['run', '--retry-for', '1h']);
    expect(code).toBe(143);
    expect(seconds).toBeLessThan(5);
    expect(await runs(world)).toEqual([{ number: 1, outcome: 'failed', code: 69, waits: true }]);
  });

  it('ends schedule at once with 143, and the retry is left to the next process', async () => {
    const world = await openDown();
    const { code, seconds } = await terminateWhileWaiting(world, ['schedule']);
    expect(code).toBe(143);
    expect(seconds).toBeLessThan(5);
    expect(await runs(world)).toEqual([{ number: 1, outcome: 'failed', code: 69, waits: true }]);
    const { stdout } = await callsheet(['status'], world.environment);
    expect(stdout).toMatch(/ failed, retry at \d\d:\d\d /);
  });
});

describe('--retry-for', () => {
  it.each([
    [['run', '--retry-for', '3'], /--retry-for.*not a duration above zero/],
    [['run', '--dry-run', '--retry-for', '3h'], /--dry-run goes without --retry-for/],
  ])('is refused in %j', async (args, message) => {
    const { code, stderr } = await callsheet(args, {
      SERVICE_BASE_URL: 'http://127.0.0.1:1/api',
      SIDTOKEN: 'token',
    });
    expect(code).toBe(64);
    expect(stderr).toMatch(message);
  });
});
