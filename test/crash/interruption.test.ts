import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { ended, startCallsheet } from '../support/callsheet.ts';
import { lockWaits } from '../support/database.ts';
import { openWorld, type World } from '../support/world.ts';

/** A run that waits for a lock that somebody else holds on the accounts: nothing can end it in order. */
async function startBlocked(world: World) {
  const holder = new pg.Client({ connectionString: world.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table warehouse.accounts in access exclusive mode');
  const child = startCallsheet(['run'], world.environment);
  const ending = ended(child);
  await lockWaits(world.databaseUrl, 1);
  return { child, ending, release: () => holder.end() };
}

const runs = (world: World) => world.query('select outcome, exit_code from etl.runs');

describe.concurrent('a run that waits for the database', () => {
  it('ends in time after SIGTERM, and is recorded as interrupted', async () => {
    const world = await openWorld();
    const { child, ending, release } = await startBlocked(world);
    child.kill('SIGTERM');
    const { code, stdout } = await ending;
    expect({ code, stdout }).toEqual({ code: 143, stdout: '' });
    expect(await runs(world)).toEqual([{ outcome: 'interrupted', exit_code: 143 }]);
    await release();
    await world.close();
  });

  it('ends at once after a second SIGINT', async () => {
    const world = await openWorld();
    const { child, ending, release } = await startBlocked(world);
    child.kill('SIGINT');
    // Two that arrive together count as one.
    await delay(500);
    expect(child.exitCode).toBeNull();
    const again = setInterval(() => child.kill('SIGINT'), 500);
    expect(await ending).toMatchObject({ code: 130, stdout: '' });
    clearInterval(again);
    // It had no time to record that it was interrupted.
    expect(await runs(world)).toEqual([{ outcome: null, exit_code: null }]);
    await release();
    await world.close();
  });
});
