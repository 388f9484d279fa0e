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

it.each([
  { hours: 72, how: '3 d ahead of' },
  { hours: -72, how: '3 d behind' },
])(
  'a run on a machine that is $how the database goes by the clock of the database',
  async ({ hours, how }) => {
    const { code, stderr } = await callsheet(['run'], { ...world.environment, NODE_OPTIONS: ahead(hours) });
    expect(code).toBe(0);
    expect(stderr).toContain(`the clock of this machine is ${how} the database's`);
    const [run] = await world.query<{ days: string[]; states: string[]; run_dates: string[] }>(
      `select array_agg(distinct ((now() at time zone 'UTC')::date - day)::text) as days, array_agg(distinct state) as states,
       array_agg(distinct ((now() at time zone 'UTC')::date - synced_run_date)::text) as run_dates from etl.windows`,
    );
    expect(run).toEqual({ days: ['1'], states: ['loaded'], run_dates: ['0'] });
  },
);
