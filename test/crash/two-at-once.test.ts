import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { consecutiveDays, runTwice } from './pairs.ts';
import { openScene, type Scene } from './scene.ts';

const days = consecutiveDays(51);
let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

describe('of two runs that start together', () => {
  it.each(days.slice(0, 50))(
    'one does the work of %s, and the other ends with 75 and says who works since when',
    async (day) => {
      await runTwice(scene, day);
    },
  );

  it('one is named though it was slow to enter itself, and not a run that died before', async () => {
    await scene.query(
      `insert into etl.runs (command, night, host, process_id) values ('run', current_date, 'dead', 1)`,
    );
    await runTwice(scene, days.at(-1)!, 1_000);
  });

  it('nothing is done twice, and the warehouse agrees with itself at the end', async () => {
    expect(await disagreements(scene)).toEqual([]);
    expect(await scene.query('select 1 from etl.windows')).toHaveLength(3 * days.length);
    expect(scene.smtp.received).toHaveLength(2 * days.length);
  });
});
