import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { createDatabase } from '../support/database.ts';
import { runNight } from '../support/nights.ts';
import { createStranger } from '../support/role.ts';
import { startSimulator } from '../support/simulator.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

const token = 'canary+token/with=signs';
let world: World;
let base: World['environment'];

beforeAll(async () => {
  world = await openWorld();
  base = { SERVICE_BASE_URL: world.simulator.url, SIDTOKEN: token, DATABASE_URL: world.databaseUrl };
});
afterAll(() => world.close());

/** Expects these lines and no others on stderr, nothing on stdout, no stack, no token. */
async function expectError(
  args: readonly string[],
  environment: World['environment'],
  code: number,
  lines: readonly RegExp[],
): Promise<void> {
  const ended = await callsheet(args, environment, world.folder);
  expect(ended).toMatchObject({ code, stdout: '' });
  const printed = ended.stderr.trimEnd().split('\n');
  expect(printed).toHaveLength(lines.length);
  for (const [index, line] of lines.entries()) expect(printed[index]).toMatch(line);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  for (const spelling of [token, encodeURIComponent(token)]) expect(ended.stderr).not.toContain(spelling);
}

describe.concurrent('a malformed setting', () => {
  it('is reported together with all others', async () => {
    const environment = { DATABASE_URL: world.databaseUrl, PAGE_LIMIT: '-1', RETRIES: 'x' };
    await expectError(['run'], environment, 78, [
      /SERVICE_BASE_URL is missing/,
      /SIDTOKEN is missing/,
      /PAGE_LIMIT/,
      /RETRIES/,
    ]);
  });
});

describe.concurrent('invalid arguments', () => {
  it.each([
    [['run', '--day', '2026-02-30'], /--day.*2026-02-30.*not a real day/],
    [['run', '--day', '02-30-2026'], /not a real day/],
    [['run', '--from', '2026-03-02', '--to', '2026-03-01'], /--from 2026-03-02 is after --to 2026-03-01/],
    [['replay', '--from', '2026-03-02', '--to', '2026-03-01'], /--from 2026-03-02 is after --to 2026-03-01/],
    [['run', '--from', '2026-03-02'], /--from and --to go together/],
    [['run', '--day', '2026-03-02', '--to', '2026-03-02'], /--day goes without/],
    [['run', '--day', '2999-01-01'], /2999-01-01 is in the future/],
    [['run', '--account', 'nobody'], /no account is called nobody; there is main/],
    [['run', '--account', 'mian'], /no account is called mian \(did you mean main\?\); there is main/],
    [['clients', '--page', '2'], /--page needs --limit/],
    [['clients', '--limit', 'x'], /--limit.*not a whole number/],
    [['campaigns', '--from', '2026-03-01', '--to', '2026-03-32'], /not a real day/],
    [['digest', '--day', '2026-03-01', '--resend', '--skip'], /one at a time/],
    [['digest', '--day', '2026-03-01', '--digest', 'Nope'], /no digest is called Nope; there is Campaigns/],
    [
      ['digest', '--day', '2026-03-01', '--digest', 'campaign'],
      /no digest is called campaign \(did you mean Campaigns\?\)/,
    ],
  ])('%j ends with 64', async (args, line) => {
    const ended = await callsheet(args, base, world.folder);
    expect(ended).toMatchObject({ code: 64, stdout: '' });
    expect(ended.stderr.split('\n')[0]).toMatch(line);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });

  it.each([[['--frobnicate']], [['frobnicate']], [['run', '--frobnicate']]])(
    '%j ends with 64',
    async (args) => {
      expect((await callsheet(args, base, world.folder)).code).toBe(64);
    },
  );

  it('are helped by --help, which ends with 0 and prints to stdout', async () => {
    const { code, stdout, stderr } = await callsheet(['--help'], {}, world.folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('\n  campaigns ');
  });
});

describe('a run without something it depends on', () => {
  const quiet = { LOG_LEVEL: 'silent', RETRIES: '0' };
  const ofTheDay = `select d.state, attempts from etl.deliveries d join etl.digests using (digest_id) where day = '2026-03-03'`;

  it('ends with 69 while the database is down', async () => {
    const environment = { ...base, ...quiet, DATABASE_URL: 'postgres://u:secretword@127.0.0.1:1/x' };
    await expectError(['run'], environment, 69, [/database can't be used \(ECONNREFUSED.*DATABASE_URL/]);
  });

  it('ends with 69 while the database is read-only, as after a failover', async () => {
    const standby = await createDatabase({ template: 'migrated' });
    const options = encodeURIComponent('-c default_transaction_read_only=on');
    const environment = { ...base, ...quiet, DATABASE_URL: `${standby.url}?options=${options}` };
    await expectError(['run'], environment, 69, [/the database is read-only \(25006.*failover/]);
    await standby.drop();
  });

  it('ends with 78 if the database does not exist', async () => {
    const environment = { ...base, ...quiet, DATABASE_URL: `${world.databaseUrl}x` };
    await expectError(['run'], environment, 78, [
      new RegExp(
        `database does not exist .*: createdb ${new URL(world.databaseUrl).pathname.slice(1)}x; or `,
      ),
    ]);
  });

  it.each([
    ['run', 'migrated'],
    ['migrate', 'template1'],
  ])(
    'of %s ends with 78 if its role lacks a right, until the grant that it prints is typed',
    async (command, template) => {
      const stranger = await createStranger();
      const database = await createDatabase({ template });
      const environment = { ...world.environment, ...quiet, DATABASE_URL: stranger.url(database.url) };
      const refused = await callsheet([command], environment);
      expect(refused).toMatchObject({
        code: 78,
        stderr: expect.stringMatching(/^callsheet: the role .*\n$/),
      });
      const owner = new pg.Client({ connectionString: database.url });
      await owner.connect();
      // The test's role has its name as its password, which is redacted.
      const [, grant] = /type: (grant .+;)$/m.exec(refused.stderr)!;
      await owner.query(grant!.replaceAll('[redacted]', stranger.name));
      await owner.end();
      expect(await callsheet([command], environment)).toMatchObject({ code: 0 });
      await database.drop();
      await stranger.drop();
    },
  );

  it('ends with 78 if the schema is too old, until it is migrated', async () => {
    const empty = await createDatabase();
    const environment = { ...base, ...quiet, DATABASE_URL: empty.url };
    await expectError(['run'], environment, 78, [/schema.*npm start -- migrate/]);
    expect((await callsheet(['migrate'], environment)).code).toBe(0);
    expect((await callsheet(['run'], environment)).code).toBe(77);
    await empty.drop();
  });

  it('ends with 69 while the service is down, with a line for each account', async () => {
    const closed = await startSimulator();
    await closed.close();
    const environment = {
      ...base,
      LOG_LEVEL: 'error',
      LOG_FORMAT: 'json',
      RETRIES: '0',
      SERVICE_BASE_URL: closed.url,
    };
    const { code, stderr } = await callsheet(['run', '--day', '2026-03-01'], environment, world.folder);
    expect(code).toBe(69);
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/^alert: Service unavailable/);
    expect(lines[0]).toMatch(
      /account main, clients: the service can't be reached.*ECONNREFUSED.*SERVICE_BASE_URL/,
    );
    expect(lines[1]).toMatch(/^account main, campaigns of 2026-03-01: /);
  });

  it('ends with 77 if the service refuses the token, whose text is nowhere', async () => {
    const environment = { ...base, LOG_LEVEL: 'trace', LOG_FORMAT: 'json' };
    const { code, stderr } = await callsheet(['run', '--day', '2026-03-02'], environment, world.folder);
    expect(code).toBe(77);
    expect(stderr).toMatch(/refuses the session token \(status 401.*SIDTOKEN/);
    for (const spelling of [token, encodeURIComponent(token)]) expect(stderr).not.toContain(spelling);
    const dump = await world.query(
      'select r::text from etl.runs r union all select w::text from etl.windows w',
    );
    for (const spelling of [token, encodeURIComponent(token)])
      expect(JSON.stringify(dump)).not.toContain(spelling);
  });

  it('ends with 75 while the SMTP server is down, with all figures loaded and the mail still due', async () => {
    const down = { ...quiet, SMTP_URL: 'smtp://127.0.0.1:1', DIGEST_FROM: 'callsheet@example.com' };
    await mailsLongAgo(world);
    const report = await runNight(world, '2026-03-04', down, { days: ['2026-03-03'] });
    expect(report.exitCode).toBe(75);
    expect(
      await world.query(`select 1 from etl.windows where day = '2026-03-03' and state = 'loaded'`),
    ).toHaveLength(3);
    expect(await world.query(ofTheDay)).toEqual([{ state: 'failed', attempts: 0 }]);
    const healed = await callsheet(['run', '--day', '2026-03-03'], { ...world.environment, ...quiet });
    expect(healed.code).toBe(0);
    expect(await world.query(ofTheDay)).toEqual([{ state: 'written', attempts: 1 }]);
  });
});

describe('a command', () => {
  it('prints a line, and no internal error, for a port in use, a folder that is a file or an unknown sslmode', async () => {
    const { port } = world.simulator;
    const inUse = await callsheet(['simulate', '--port', String(port)], {}, world.folder);
    expect(inUse).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(`port ${port} is in use: choose another one`),
    });
    const preview = ['digest', '--day', '2026-03-03', '--preview', `${world.folder}/accounts.json`];
    expect(await callsheet(preview, world.environment)).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/EEXIST/),
    });
    const mode = { ...world.environment, DATABASE_URL: `${world.databaseUrl}?sslmode=nonsense` };
    expect(await callsheet(['run'], mode)).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/sslmode is not one of/),
    });
    const tls = { ...world.environment, DATABASE_URL: `${world.databaseUrl}?sslmode=require` };
    expect(await callsheet(['run'], tls)).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/does not support SSL/),
    });
    expect(await callsheet(['run', '--day', '0000-01-01'], world.environment)).toMatchObject({ code: 64 });
  });

  it('that would send a skipped digest ends with 64 and points to --resend', async () => {
    const digest = (...flags: string[]) =>
      callsheet(['digest', '--day', '2026-02-02', ...flags], world.environment);
    expect((await digest('--skip')).stdout).toMatch(/skipped/);
    expect(await digest()).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/was skipped: --resend/),
    });
    expect(await digest('--resend')).toMatchObject({ code: 0, stdout: expect.stringMatching(/written/) });
  });

  it('with --no-digest skips the digests of its own days alone', async () => {
    const other = await openWorld();
    const longAgo = await mailsLongAgo(other);
    const down = {
      ...other.environment,
      ...longAgo,
      SMTP_URL: 'smtp://127.0.0.1:1',
      DIGEST_FROM: 'a@example.com',
      DIGEST_TO: '',
      DIGESTS_FILE: '',
    };
    await callsheet(['run', '--day', '2026-03-03'], { ...down, SMTP_URL: '', OUTBOX_DIR: other.outbox });
    await callsheet(['run', '--day', '2026-03-05', '--no-digest'], { ...other.environment, ...longAgo });
    expect(
      await other.query('select day::text, state from etl.digests where run_id is not null order by day'),
    ).toEqual([
      { day: '2026-03-03', state: 'built' },
      { day: '2026-03-05', state: 'skipped' },
    ]);
    await other.close();
  });

  it('prints a client list that can not be proven complete once, with a warning, and ends with 75', async () => {
    const other = await openWorld({ variants: ['pages-changes'] });
    const { code, stdout, stderr } = await callsheet(['clients', '--format', 'json'], other.environment);
    await other.close();
    expect(code).toBe(75);
    expect(JSON.parse(stdout)).toHaveLength(1200);
    expect(stderr).toMatch(/can't be proven complete/);
  });
});
