import { afterEach, beforeEach, expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** For Node: a clock that is so many hours ahead. */
function ahead(hours: number): string {
  const code = `const { instant } = Temporal.Now; Temporal.Now.instant = () => instant().add({ hours: ${hours} });`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

it.each([72, -72])(
  'responses are ordered by the clock of the database, on a machine whose own is %i hours off',
  async (hours) => {
    const { code } = await callsheet(['run'], { ...world.environment, NODE_OPTIONS: ahead(hours) });
    expect(code).toBe(0);
    const late = `select 1 from etl.responses where abs(extract(epoch from fetched_at - now())) > 600`;
    expect(await world.query(late)).toEqual([]);
    expect(await world.query('select 1 from etl.responses')).not.toEqual([]);
  },
);
