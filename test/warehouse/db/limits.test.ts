import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  it,
  onTestFinished,
} from 'vitest';
import { isDatabaseOutage, warehouseFailure } from '../../../src/warehouse/failures.ts';
import { command } from '../../support/command.ts';
import { createRole, type TestRole } from '../../support/role.ts';
import { openWorld, type World } from '../../support/world.ts';

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(statement).finally(() => client.end())).rows;
}

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
    await query(admin, `alter ${what} ${name} connection limit ${limit}`);
    const statement = await refused(
      /no connection left \(53300: too many connections for \w+ "\w+"\): as a superuser, .*; a run takes one more than CONCURRENCY, but no more than nine, .*; then run again$/m,
    );
    expect(statement).toBe(`alter ${what} "${name}" connection limit 15`);
    await query(admin, statement);
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
    await query(url, statement);
    expect(await query(url, `show ${setting}`)).toEqual([{ [setting]: '0' }]);
    expect(await run()).toMatchObject({ code: 0 });
  });
});

/** Refuses whoever connects, in the words of Postgres or PgBouncer. */
async function startRefusing(code: string, message: string): Promise<string> {
  const fields = ['SFATAL', `C${code}`, `M${message}`, ''].map((field) => `${field}\0`).join('');
  const body = Buffer.from(fields);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, body])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `postgres://callsheet:the-password-of-it@127.0.0.1:${(server.address() as AddressInfo).port}/callsheet`;
}

describe('who is refused while connecting', () => {
  it.each([
    [
      69,
      'XX000',
      'could not write init file',
      /the disk of the database is full .*: free space where Postgres/,
    ],
    [
      69,
      '53100',
      'could not extend file "base/1": No space left on device',
      /the disk of the database is full/,
    ],
    [
      69,
      '53100',
      'could not resize shared memory segment "/x" to 8 bytes',
      /no shared memory left .*--shm-size/,
    ],
    [69, '53300', 'sorry, too many clients already', /end sessions of others, or raise max_connections/],
    [69, '53300', 'demasiadas conexiones para el rol «a»', /no connection left .*a run takes one more/],
    [
      69,
      '08P01',
      'no more connections allowed (max_client_conn)',
      /raise max_client_conn of PgBouncer; a run/,
    ],
    [
      78,
      '08P01',
      'no such database: call',
      /the database in DATABASE_URL does not exist .*: createdb call; or correct/,
    ],
    [
      78,
      '08P01',
      'database "call" does not exist',
      /the database in DATABASE_URL does not exist .*: createdb call; or correct/,
    ],
    [78, '08P01', 'SASL authentication failed', /the database rejected the password .*: check DATABASE_URL;/],
    [78, '08P01', 'no such user', /the database rejected the password .*: check DATABASE_URL;/],
    [78, '08P01', 'unsupported startup parameter: options', /take options out of DATABASE_URL, and set them/],
    [69, '08P01', 'server_login_retry', /the database can't be used \(08P01: server_login_retry\): check/],
  ])('ends with %i and a line about it: %s, %s', async (code, state, message, line) => {
    const url = await startRefusing(state, message);
    for (const name of ['status', 'migrate']) {
      const ended = await command([name], { DATABASE_URL: url });
      expect({ name, ...ended }).toEqual({ name, code, stdout: '', stderr: expect.stringMatching(line) });
      expect(ended.stderr).toMatch(/^callsheet: .*\n$/);
      expect(ended.stderr).not.toContain('the-password-of-it');
    }
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
