import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended, startCallsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it('runs at its scheduled times, and ends cleanly with 143 when it is stopped', async () => {
  const child = startCallsheet(['schedule'], { ...world.environment, SCHEDULE: '* * * * * *' });
  const exit = once(child, 'exit');
  try {
    for await (const line of createInterface(child.stderr)) {
      if (JSON.parse(line).msg.startsWith('done')) break;
    }
  } finally {
    child.kill('SIGTERM');
  }
  expect((await exit)[0]).toBe(143);
  const runs = await world.query(
    `select outcome, scheduled_at is not null as scheduled from etl.runs where finished_at is not null order by run_id`,
  );
  expect(runs[0]).toEqual({ outcome: 'done', scheduled: true });
  expect(await world.query('select 1 from etl.runs where finished_at is null')).toEqual([]);
});

it('ends immediately with 143 while it waits for its next scheduled time', async () => {
  const child = startCallsheet(['schedule'], { ...world.environment, SCHEDULE: '0 0 29 2 *' });
  const ending = ended(child);
  for await (const line of createInterface(child.stderr))
    if (JSON.parse(line).msg.includes('waiting for 0 0 29 2 *')) break;
  child.kill('SIGTERM');
  const { code, stderr } = await ending;
  expect(code).toBe(143);
  expect(stderr).not.toContain('did not end in time');
});
