import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { root } from '../../deploy/known.ts';
import { npmStart, runIn } from '../../support/callsheet.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { type Simulator, startSimulator } from '../../support/simulator.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';
import { openTerminal } from '../../support/terminal.ts';

let simulator: Simulator;
let database: TestDatabase;
let folder: string;
let address: string;
const { token } = generateDataset().accounts[0]!;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  simulator = await startSimulator();
  address = simulator.url;
});
afterAll(async () => {
  await simulator.close();
  await database.drop();
});
beforeEach(async ({ onTestFinished }) => {
  folder = await mkdtemp(path.join(tmpdir(), 'callsheet-init-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

/** `npm start -- …` in the folder, with these lines piped in. */
const start = (args: readonly string[], input = '', environment = {}) =>
  runIn(folder, process.execPath, [...npmStart, ...args], environment, input);

/** What a terminal shows: `until` returns it up to these words, from where it ended before. */
function listenTo({ stdout }: ReturnType<typeof openTerminal>) {
  let [shown, read] = ['', 0];
  stdout.setEncoding('utf8');
  return {
    shown: () => shown,
    async until(words: string): Promise<string> {
      while (!shown.includes(words, read)) shown += (await once(stdout, 'data'))[0];
      const from = read;
      read = shown.indexOf(words, from) + words.length;
      return shown.slice(from, read);
    },
  };
}

const written = () => readFile(path.join(folder, '.env'), 'utf8');

describe('from an address and a token to a first run', () => {
  it('takes three steps: init, and the two commands that it prints, with the page to open', async () => {
    const init = await start(['init'], `${address}\n${token}\n`, { TZ: 'Europe/Madrid' });
    expect(init).toMatchObject({ code: 0, stderr: '' });
    expect(init.stdout).toMatch(/^✓ service {3}main +the token is good; \d+ campaigns? yesterday$/m);
    expect(init.stdout).toMatch(
      /^! alerts {4}silence +if Callsheet is down, only Prometheus alerts\n +→ set HEALTHCHECK_URL$/m,
    );
    expect(init.stdout).toMatch(
      /\n {2}npm start -- backfill --from \S+ --to \S+\n {2}npm start -- run\n {2}npm start -- digest .+\n\nThen open:/,
    );
    expect(await written()).toBe(
      `# docs/settings.md explains every setting.\nSERVICE_BASE_URL=${address}\nSIDTOKEN=${token}\nTIME_ZONE=Europe/Madrid\n`,
    );
    expect((await stat(path.join(folder, '.env'))).mode & 0o777).toBe(0o600);

    // Until something is loaded it is offered again, as to whom something interrupted.
    const offered = /npm start -- backfill --from/;
    expect((await start(['init'])).stdout).toMatch(offered);

    const run = await start(['run'], '', { DATABASE_URL: database.url });
    expect((await start(['init'], '', { DATABASE_URL: database.url })).stdout).not.toMatch(offered);
    expect(run.code).toBe(0);
    expect(await readdir(path.join(folder, 'outbox'))).toHaveLength(1);
    for (const { stdout, stderr } of [init, run]) expect(stdout + stderr).not.toContain(token);
  });

  it('takes one, if init may load five weeks and mail: it ends with the page of the digest', async () => {
    const fresh = await createDatabase();
    const settings = { DATABASE_URL: fresh.url, LOG_FORMAT: 'json', TIME_ZONE: 'UTC' };
    const { code, stdout, stderr } = await start(['init'], `${address}\n${token}\n\n\n\ny\n`, settings);
    const status = await start(['status', '--json'], '', settings);
    await fresh.drop();
    // They have the names of the commands that do the same.
    const { runs } = JSON.parse(status.stdout) as { runs: { command: string }[] };
    expect(runs.map(({ command }) => command)).toEqual([
      'run',
      expect.stringMatching(/^backfill --from \S+ --to \S+$/),
    ]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/35 days loaded"}\n/);
    expect(stderr).toMatch(/1 mail written; nothing left to do"}\n$/);
    const page = /open:\n\n {2}(preview\/.+\.html)\n/.exec(stdout)![1]!;
    expect(await readFile(path.join(folder, page), 'utf8')).toMatch(/connect rate/i);
    expect(await readdir(path.join(folder, 'outbox'))).toHaveLength(1);
  });

  it('loads nothing if the last line is neither y nor n', async () => {
    const fresh = await createDatabase({ template: 'migrated' });
    const settings = { DATABASE_URL: fresh.url, TIME_ZONE: 'UTC' };
    const { code, stderr } = await start(['init'], `${address}\n${token}\n\n\n\nyesterday\n`, settings);
    await fresh.drop();
    expect([code, stderr]).toEqual([
      64,
      'callsheet: the answer to "Load five weeks and write the first digest now?" is neither y nor n: type y or n; Enter alone is yes: see --help\n',
    ]);
    expect(await readdir(folder)).toEqual(['.env']);
  });

  it('leaves a token in its file, asks for nothing that is given, and warns once', async () => {
    await writeFile(path.join(folder, 'token'), token, { mode: 0o600 });
    const settings = { TIME_ZONE: 'UTC' };
    const misspelt = { ...settings, DIGSET_TO: 'ana@example.com' };
    const { code, stderr } = await start(['init', '--url', address, '--token-file', 'token'], '', misspelt);
    expect([code, stderr.match(/DIGSET_TO/g)]).toEqual([0, ['DIGSET_TO']]);
    expect(await written()).toMatch(/\nSIDTOKEN_FILE=token\n$/);
  });

  it('shows the questions on a terminal, of the token nothing, and asks again for what is wrong', async () => {
    const child = openTerminal(80, ['init'], { TERM: 'xterm-256color', TZ: 'America/New_York' }, folder);
    const { until, shown } = listenTo(child);
    await until('address of the service: ');
    child.stdin.write('http://service.example.com/api\r');
    await until('would send the session token unencrypted to');
    await until('address of the service: ');
    child.stdin.write(`${address}\r`);
    await until('session token (hidden): ');
    child.stdin.write('a-token-of-nobody\r');
    await until('Not written: SERVICE_BASE_URL, SIDTOKEN. Try again:');
    // Who pastes the token at once shows it to nobody.
    await until('session token (hidden) [back to the address]: ');
    child.stdin.write(`${token}x\r`);
    await until('Not written: SERVICE_BASE_URL, SIDTOKEN. Try again:');
    await until('session token (hidden) [back to the address]: ');
    child.stdin.write('\r');
    // What was right stands, and a secret doesn't.
    await until(`address of the service [${address}]: `);
    child.stdin.write('\r');
    await until('session token (hidden): ');
    child.stdin.write(`${token}\r`);
    await until('[America/New_York]: ');
    child.stdin.write('Mars/Olympus\r');
    await until('TIME_ZONE is not a time zone');
    await until('[America/New_York]: ');
    child.stdin.write('\r');
    await until('nobody yet');
    child.stdin.write('\r');
    await until('none: mail is written to files');
    child.stdin.write('smtp://127.0.0.1:1\r');
    await until('[Callsheet <callsheet@example.com>]: ');
    child.stdin.write('callsheet@example.org\r');
    await until('alert recipients [nobody]: ');
    child.stdin.write('\r');
    await until('Not written: SMTP_URL, DIGEST_FROM. Try again:');
    await until('none: mail is written to files');
    child.stdin.write('smtp://127.0.0.1:2\r');
    await until('sender of the mails [callsheet@example.org]: ');
    child.stdin.write('\r');
    await until('alert recipients [nobody]: ');
    child.stdin.write('\r');
    await until('Try again:');
    for (const byDefault of ['none: mail is written to files', 'a private Postgres', 'none: a missed run']) {
      await until(byDefault);
      child.stdin.write('\r');
    }
    for (const answer of ['maybe', '?', 'q']) {
      await until('now? [Y/n]: ');
      child.stdin.write(`${answer}\r`);
    }
    await until('type y or n; Enter alone is yes');
    await until('now? [Y/n]: ');
    expect(shown().match(/type y or n/g)).toHaveLength(1);
    child.stdin.write('No\r');
    await until('Then open:');
    child.stdin.end();
    await once(child, 'close');
    expect(shown()).toContain(address);
    expect(shown()).not.toContain(token);
    expect(await written()).not.toContain('SMTP_URL');
    expect(await written()).toContain(token);
  });
});

it('each prompt of init fits into a terminal of 60 columns, and has an example if that fits', async () => {
  const child = openTerminal(60, ['init'], { TERM: 'xterm-256color', TZ: 'America/New_York' }, folder);
  const { until } = listenTo(child);
  const prompts: string[] = [];
  for (const [end, answer] of [
    ['of the service: ', address],
    ['(hidden): ', token],
    ['[America/New_York]: ', ''],
    ['[nobody yet]: ', 'ana@example.com,ben@example.com,cleo@example.com'],
    ['mail is written to files]: ', ''],
    ['for trying out]: ', ''],
    ['goes unnoticed]: ', ''],
    ['[Y/n]: ', 'n'],
  ] as const) {
    const lines = stripVTControlCharacters(await until(end)).split(/[\r\n]+/);
    // Not the answer before it, nor what was found by it.
    prompts.push(...lines.slice(1).filter((line) => !/^[✓!]|→/.test(line)));
    child.stdin.write(`${answer}\r`);
  }
  child.stdin.end();
  await once(child, 'close');
  expect(prompts.filter((line) => line.length > 60)).toEqual([]);
  expect(prompts).toEqual(
    expect.arrayContaining([
      '  smtp://user:password@mail.example.com:587',
      expect.stringMatching(/^address of the database \(hidden\)/),
    ]),
  );
});

/* A service whose empty days are a 404, and that says something beside its rows: `init` asks once, and no alert follows. */

describe('init and what the service’s answers mean', () => {
  const noCampaigns = { status: 404, body: '{"message":"No campaigns found"}' };
  /** Two days a week are quiet, yesterday among them, whichever day it is. */
  const isQuiet = (day: string) =>
    [1, 2].includes(Temporal.PlainDate.from(day).until(Temporal.Now.plainDateISO('UTC')).days % 7);

  async function settingsOf(quiet: { readonly status: number; readonly body: string }) {
    const service = scriptedService(['main'], (_, day) => {
      if (isQuiet(day)) return quiet;
      const attempts = 100 + Temporal.PlainDate.from(day).dayOfYear;
      const row = { callsetid: 1, attempts, busies: 1, connects: 50, liveanswers: 20 };
      return { body: JSON.stringify({ campaigns: 1, reports: 1, result: [row], message: 'Report ready' }) };
    });
    const talkative = await startSimulator(service);
    const fresh = await createDatabase();
    onTestFinished(async () => {
      await talkative.close();
      await fresh.drop();
    });
    return {
      SERVICE_BASE_URL: talkative.url,
      SIDTOKEN: service.dataset!.accounts[0]!.token,
      TIME_ZONE: 'UTC',
      DATABASE_URL: fresh.url,
      DIGEST_TO: 'manager@example.com',
      LOG_LEVEL: 'warn',
    };
  }

  it('asks at a terminal about each thing with its days, and no alert is left of what was accepted', async () => {
    const settings = await settingsOf(noCampaigns);
    const child = openTerminal(100, ['init'], settings, folder);
    const { until, shown } = listenTo(child);
    for (const [question, answer] of [
      ['mail server', ''],
      ['watchdog', ''],
      ['Load five weeks', ''],
      ['Is it so that', 'maybe'],
      ['Is it so that', 'y'],
      ['Is it so that', 'y'],
    ] as const) {
      await until(question);
      child.stdin.write(`${answer}\n`);
    }
    await once(child, 'exit');
    const text = stripVTControlCharacters(shown());
    expect(text).toContain('On 25 days the service says "message: Report ready" beside its campaigns.');
    expect(text).toContain(
      'On 10 days the service answers "HTTP 404; message: No campaigns found" in the place of a list.',
    );
    const { alerts } = JSON.parse((await start(['status', '--json'], '', settings)).stdout) as {
      alerts: { code: string }[];
    };
    const asked = ['UNKNOWN_ANSWER', 'DAYS_PROVISIONAL', 'NEW_REMARK'];
    expect(alerts.filter(({ code }) => asked.includes(code))).toEqual([]);
    expect((await start(['status', '--all'], '', settings)).stdout).toContain('Accepted for good:');
  });

  it('prints the commands without a terminal, which do the same', async () => {
    const settings = await settingsOf(noCampaigns);
    const { stdout } = await start(['init'], '\n\ny\n', settings);
    const commands = new Set(stdout.match(/(?<=npm start -- )accept --always \S+/g));
    expect(commands.size).toBe(2);
    for (const command of [...commands, 'run'])
      expect(await start(command.split(' '), '', settings)).toMatchObject({ code: 0 });
  });

  it('ends at an answer that can’t be read, as nobody could say what it means', async () => {
    const settings = await settingsOf({ status: 200, body: '{"result":[{"callsetid":' });
    const { code, stdout } = await start(['init'], '\n\ny\n', settings);
    expect(code).toBe(75);
    expect(stdout).toContain('Correct it and run the same command again');
  });
});

describe('init writes nothing', () => {
  it.each(['.env', '.'])(
    'where %s may not be written, and says so before anything is typed',
    async (name) => {
      const target = path.join(folder, name);
      if (name === '.env') await writeFile(target, 'RETRIES=4\n');
      await chmod(target, 0o555);
      // Root may write everywhere, unless it is without this capability.
      const asOthers = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
      const [program, ...args] = [...asOthers, process.execPath, ...npmStart, 'init'];
      expect(await runIn(folder, program!, args, {}, `${address}\n${token}\n`)).toEqual({
        code: 64,
        stdout: '',
        stderr: `callsheet: ${path.resolve(target)} can't be written: run init as its owner, or in a folder of your own\n`,
      });
      await chmod(target, 0o755);
    },
  );

  it('where the address or the token is wrong', async () => {
    const wrongPath = await start(['init'], `${address}/wrong\n${token}\n`);
    expect(wrongPath.code).toBe(75);
    expect(wrongPath.stdout).toMatch(
      /^✕ .*HTTP 404.*\n +→ check SERVICE_BASE_URL.*\n\nNot written: SERVICE_BASE_URL, SIDTOKEN\. /,
    );
    const wrongToken = await start(['init'], `${address}\na-token-of-nobody\n`);
    expect(wrongToken.code).toBe(77);
    expect(wrongToken.stdout).toMatch(
      /^✕ .*refuses access.*\n +→ .*SIDTOKEN.*\n\nNot written: SERVICE_BASE_URL, SIDTOKEN\./,
    );
    const open = await start(['init', '--url', 'http://service.example.com/api'], `${token}\n`);
    expect(open).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('unencrypted to service.example.com'),
    });
    const noToken = await start(['init'], `${address}\n`);
    expect(noToken).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('no session token was given'),
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('init goes on where it was', () => {
  it('until production is set up: mail server, database and its schema, tried one by one', async () => {
    const fresh = await createDatabase();
    const mail = await startSmtpServer();
    const zone = { TZ: 'Asia/Tokyo' };
    const began = await start(
      ['init'],
      `${address}\n${token}\n\nana@example.org\nsmtp://127.0.0.1:1\n`,
      zone,
    );
    expect(began.code).toBe(75);
    expect(began.stdout).toMatch(
      /^✕ mail {6}server +connect ECONNREFUSED.*\n +→ .*SMTP_URL.*\n\nNot written: SMTP_URL, DIGEST_FROM\. Correct it and run the same/m,
    );
    const missing = fresh.url.replace(/[^/]+$/, 'nowhere');
    const mailed = await start(['init'], `${mail.url}\n\nops@example.org\n${missing}\n`, zone);
    expect(mailed.code).toBe(78);
    expect(mailed.stdout).toMatch(
      /^✕ database .*does not exist.*\n.*createdb nowhere.*\n\nNot written: DATABASE_URL\./m,
    );
    // Who pressed Enter is asked again.
    const text = await written();
    await writeFile(path.join(folder, '.env'), text.replaceAll(/^(DIGEST_FROM|ALERT_TO)=.*\n/gm, ''));
    const answers = `\nops@example.org\n${fresh.url}\nhttps://hc-ping.com/0000\n`;
    const ended = await start(['init'], answers, zone);
    const again = await start(['init'], '', zone);
    await mail.close();
    await fresh.drop();
    for (const { code, stderr } of [ended, again]) expect([code, stderr]).toEqual([0, '']);
    expect(ended.stdout).toMatch(/^✓ database {2}schema +is up to date and writable$/m);
    const user = decodeURIComponent(new URL(fresh.url).username);
    expect(ended.stdout).toMatch(
      new RegExp(`\\n {2}psql 'postgres(ql)?://${user}@\\S+'\\n|\\n {2}psql postgres(ql)?://${user}@\\S+\\n`),
    );
    expect(parseEnv(await written())).toEqual({
      SERVICE_BASE_URL: address,
      SIDTOKEN: token,
      TIME_ZONE: 'Asia/Tokyo',
      DIGEST_TO: 'ana@example.org',
      SMTP_URL: mail.url,
      DIGEST_FROM: 'Callsheet <callsheet@example.org>',
      ALERT_TO: 'ops@example.org',
      DATABASE_URL: fresh.url,
      HEALTHCHECK_URL: 'https://hc-ping.com/0000',
    });
    for (const { stdout, stderr } of [began, mailed, ended, again])
      expect(stdout + stderr).not.toContain(token);
  });

  it('in a copy of .env.example: it replaces the examples, keeps the rest, and hides it from others', async () => {
    const example = await readFile(path.join(root, '.env.example'), 'utf8');
    await writeFile(path.join(folder, '.env'), example, { mode: 0o644 });
    const { code } = await start(['init'], `${address}\n${token}\nAmerica/New_York\n`);
    expect(code).toBe(0);
    const text = await written();
    expect(text).toBe(
      `${example.replace(/^SERVICE_BASE_URL=.*$/m, `SERVICE_BASE_URL=${address}`).replace(/^SIDTOKEN=.*$/m, `SIDTOKEN=${token}`)}TIME_ZONE=America/New_York\n`,
    );
    expect((await stat(path.join(folder, '.env'))).mode & 0o777).toBe(0o600);
  });

  it('with no default for the zone where the machine is in UTC: those days are hardly anybody’s', async () => {
    const given = { SERVICE_BASE_URL: address, SIDTOKEN: token };
    for (const TZ of ['UTC', 'Etc/UTC']) {
      const { code, stderr } = await start(['init'], '', { ...given, TZ });
      expect([code, stderr]).toEqual([64, expect.stringContaining('no time zone of your days was given')]);
      expect(await readdir(folder)).toEqual([]);
    }
  });
});
