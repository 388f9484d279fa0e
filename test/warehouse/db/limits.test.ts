import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { isDatabaseOutage, warehouseFailure } from '../../../src/warehouse/failures.ts';
import { command } from '../../support/command.ts';
import { queryAt } from '../../support/database.ts';
import { createRole, type TestRole } from '../../support/role.ts';
import { openWorld, type World } from '../../support/world.ts';

describe('a run ends with a line that names the limit, and after what that says to type, the next one loads, where', () => {
  let world: World;
  let role: TestRole;
  let url: string;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    role = await createRole();
    await role.alter(`password 'the-password-of-it'`);
    url = Object.assign(new URL(role.url(world.databaseUrl)), { password: 'the-password-of-it' }).href;
  });
  afterEach(() => role.drop());

  const run = () =>
    command(['run', '--day', '2026-03-02'], { ...world.environment, CONCURRENCY: '8', DATABASE_URL: url });

  /** The statement of the line. */
  async function refused(line: RegExp): Promise<string> {
    const { code, stdout, stderr } = await run();
    expect({ code, stdout, stderr }).toEqual({
      code: 69,
      stdout: '',
      stderr: expect.stringMatching(line),
    });
    expect(stderr).toMatch(/^callsheet: .*\n$/);
    expect(stderr).not.toContain('the-password-of-it');
    return /type[^:]*: (alter .+?);/.exec(stderr)![1]!;
  }

  it.each([
    ['role', 1],
    ['role', 4],
    ['database', 1],
  ])('its %s may have no more connections than %i', async (what, limit) => {
    const name = what === 'role' ? role.name : new URL(url).pathname.slice(1);
    const admin = inject('postgresAdminUrl');
    await queryAt(admin, `alter ${what} ${name} connection limit ${limit}`);
    const statement = await refused(
      /no connection left \(53300: too many connections for \w+ "\w+"\): as a superuser, .*; a run takes one more than CONCURRENCY, but no more than nine, .*; then run again$/m,
    );
    expect(statement).toBe(`alter ${what} "${name}" connection limit 15`);
    await queryAt(admin, statement);
    expect(await run()).toMatchObject({ code: 0 });
  });

  it.each([
    ['statement_timeout', /a statement took longer than statement_timeout allows \(57014: /],
    ['lock_timeout', /waiting for a lock took longer than lock_timeout allows \(55P03: /],
  ])('its role has a %s', async (setting, line) => {
    await role.alter(`set ${setting} = '200ms'`);
    await world.query('begin; lock table etl.windows in exclusive mode');
    const statement = await refused(line);
    await world.query('rollback');
    expect(statement).toBe(`alter role current_user reset ${setting}`);
    await queryAt(url, statement);
    expect(await queryAt(url, `show ${setting}`)).toEqual([{ [setting]: '0' }]);
    expect(await run()).toMatchObject({ code: 0 });
  });
});

it.each([
  ['25P03', 'idle_in_transaction_session_timeout'],
  ['25P04', 'transaction_timeout'],
])('a session that is ended with %s names %s', (code, setting) => {
  const error = Object.assign(new pg.DatabaseError('terminating connection', 0, 'error'), { code });
  expect(warehouseFailure(error)!.advice).toContain(`alter role current_user reset ${setting};`);
  expect(isDatabaseOutage(error)).toBe(true);
});

it('a statement that somebody cancelled is not taken for a timeout', () => {
  const message = 'canceling statement due to user request';
  const error = Object.assign(new pg.DatabaseError(message, 0, 'error'), { code: '57014' });
  expect(warehouseFailure(error)!.detail).toBe(`the database can't be used (57014: ${message})`);
});
