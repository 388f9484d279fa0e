import { afterAll, beforeAll, expect, it } from 'vitest';
import { identityColumns } from '../../../src/warehouse/failures.ts';
import { command } from '../../support/command.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  expect(await run()).toMatchObject({ code: 0 });
});
afterAll(() => world.close());

const run = () => command(['run'], world.environment);

it('every column with a sequence is known', async () => {
  const columns = await world.query<{ name: string }>(
    `select concat_ws('.', table_schema, table_name, column_name) as name from information_schema.columns
     where table_schema in ('warehouse', 'etl') and is_identity = 'YES'`,
  );
  expect(columns.map(({ name }) => name).sort()).toEqual(
    identityColumns.map((names) => names.join('.')).sort(),
  );
});

it.each([
  [identityColumns, 'etl.runs_run_id_seq'],
  [[['etl.responses', 'response_id']], 'etl.responses_response_id_seq'],
] as const)(
  'a run after a move by logical replication names the sequence that is behind, and what it says to type heals it: %s %s',
  async (behind, named) => {
    for (const [table, column] of behind)
      await world.query(`select setval(pg_get_serial_sequence('${table}', '${column}'), 1, false)`);
    const { code, stderr } = await run();
    expect(code).toBe(78);
    const line = new RegExp(
      `the sequence ${named} is behind the rows of its table.*, type: (.*;) then run again`,
    );
    expect(stderr).toMatch(line);
    expect(stderr).not.toContain('internal error');
    await world.query(line.exec(stderr)![1]!);
    expect(await run()).toMatchObject({ code: 0 });
  },
);
