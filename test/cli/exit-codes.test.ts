import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { command } from '../support/command.ts';
import { createDatabase, queryAt, type TestDatabase } from '../support/database.ts';
import { createStranger } from '../support/role.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let one: World['environment'];
beforeAll(async () => {
  world = await openWorld();
  one = {
    SERVICE_BASE_URL: world.simulator.url,
    SIDTOKEN: 'a-token-of-nobody',
    DATABASE_URL: world.databaseUrl,
  };
});
afterAll(() => world.close());

async function database(template: string): Promise<TestDatabase> {
  const made = await createDatabase({ template });
  onTestFinished(() => made.drop());
  return made;
}

describe('invalid arguments end with 64', () => {
  it.each([
    ['run --day 2026-02-30', /--day.*2026-02-30.*not a real day/],
    ['run --day 2999-01-01', /2999-01-01 is in the future/],
    ['run --from 2026-03-02 --to 2026-03-01', /--from 2026-03-02 is after --to 2026-03-01/],
    ['run --from 2026-03-02', /--from and --to go together/],
    ['run --day 2026-03-02 --to 2026-03-02', /--day <DAY>' cannot be used with option '--to/],
    ['run --account mian', /no account is called mian \(did you mean main\?\); known: main/],
    ['run --retry-for 3', /--retry-for.*not a duration above zero/],
    ['clients --page 2', /--page needs --limit/],
    ['digest --day 2026-03-01 --digest Nope', /no digest is called Nope; known: Campaigns/],
    [
      'simulate --port 0 --story gap --day 2020-01-01',
      /2020-01-01 is not a night of gap: its nights are .* to today/,
    ],
    ['demo --nights 15', /'15' is invalid. It is not a whole number from 1 to 14/],
  ])('%s', async (line, error) => {
    const ended = await command(line.split(' '), one);
    expect(ended).toMatchObject({ code: 64, stdout: '' });
    expect(ended.stderr.split('\n')[0]).toMatch(error);
  });

  it('a port in use', async () => {
    const { port } = world.simulator;
    expect(await command(['simulate', '--port', `${port}`], {})).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(`port ${port} is in use: choose another one`),
    });
  });

  it('a folder that cannot be made, instead of waiting for ever', async () => {
    const preview = ['digest', '--day', '2026-03-03', '--preview', '/proc/callsheet/preview'];
    expect(await command(preview, world.environment)).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(
        /can't be written to \/proc\/callsheet\/preview: there is no such folder \(ENOENT\): name another/,
      ),
    });
  });

  it('a path that cannot be used, which is printed without the token in it', async () => {
    const folder = `${world.folder}/accounts.json/${one.SIDTOKEN}`;
    expect(await command(['digest', '--day', '2026-03-03', '--preview', folder], one)).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/accounts\.json\/\[redacted\]/),
    });
  });

  it('a skipped digest that would be sent, which points to --resend', async () => {
    const digest = (...flags: string[]) =>
      command(['digest', '--day', '2026-02-02', ...flags], world.environment);
    expect((await digest('--skip')).stdout).toMatch(/skipped/);
    expect(await digest()).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/was skipped: .* --resend/),
    });
    expect(await digest('--resend')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/written/),
    });
  });
});

describe('a run without a database that it can use', () => {
  it.each([
    [
      69,
      'is down',
      () => 'postgres://u:secretword@127.0.0.1:1/x',
      /can't be used \(ECONNREFUSED.*DATABASE_URL/,
    ],
    [78, 'does not exist', () => `${world.databaseUrl}x`, /does not exist .*: createdb test_\w+x; or /],
    [78, 'has no TLS', () => `${world.databaseUrl}?sslmode=require`, /does not support SSL/],
  ])('ends with %i and one line where it %s', async (code, _, url, line) => {
    const ended = await command(['run'], { ...one, DATABASE_URL: url() });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(line);
    expect(ended.stderr).toMatch(/^callsheet: .*\n$/);
    expect(ended.stderr).not.toContain('secretword');
  });

  it.each([
    ['run', 'migrated'],
    ['migrate', 'template1'],
  ])(
    'ends with 78 where the role of %s lacks a right, until the grant that it prints is typed',
    async (name, template) => {
      const stranger = await createStranger();
      const own = await createDatabase({ template });
      const environment = { ...world.environment, DATABASE_URL: stranger.url(own.url) };
      const refused = await command([name], environment);
      expect(refused).toMatchObject({
        code: 78,
        stderr: expect.stringMatching(/^callsheet: the role .*\n$/),
      });
      // The test's role has its name as its password, which is redacted.
      const [, grant] = /type: (grant .+;)$/m.exec(refused.stderr)!;
      await queryAt(own.url, grant!.replaceAll('[redacted]', stranger.name));
      expect(await command([name], environment)).toMatchObject({ code: 0 });
      await own.drop();
      await stranger.drop();
    },
  );

  it('ends with 78 where the schema is too old, until it is migrated', async () => {
    const empty = await database('template1');
    const environment = { ...one, DATABASE_URL: empty.url };
    expect(await command(['run'], environment)).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/schema.*npm start -- migrate/),
    });
    expect(await command(['migrate'], environment)).toMatchObject({ code: 0 });
    expect(await command(['run'], environment)).toMatchObject({ code: 77 });
  });
});
