import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { ended, startCallsheet } from '../support/callsheet.ts';
import { command } from '../support/command.ts';
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
  child.kill('SIGTERM');
  return (await ending).code;
}

const runs = (world: World) =>
  world.query('select number, outcome, exit_code::int as code, retry_at is not null as waits from etl.runs');

it.each([['run', '--retry-for', '1h'], ['schedule']])(
  'SIGTERM while a run waits for its retry ends %s with 143, and leaves the retry to the next process',
  async (...args) => {
    const world = await openDown();
    expect(await terminateWhileWaiting(world, args)).toBe(143);
    // No retry has begun.
    expect(await runs(world)).toEqual([
      {
        number: 1,
        outcome: 'failed',
        code: 69,
        waits: true,
      },
    ]);
    const { stdout } = await command(['status'], world.environment);
    expect(stdout).toMatch(/ failed, retry at \d\d:\d\d /);
  },
);
