import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { ended, npmStart } from '../../support/callsheet.ts';
import { createDatabase } from '../../support/database.ts';
import { startSimulator } from '../../support/simulator.ts';
import { openTerminal } from '../../support/terminal.ts';

/* A service whose empty days are a 404, and that says something beside its rows: `init` asks once, and no alert follows. */

const token = 'a-token-of-the-quiet-office';
/** Two days a week are quiet, yesterday among them, whichever day it is. */
const isQuiet = (day: string) =>
  [1, 2].includes(Temporal.PlainDate.from(day).until(Temporal.Now.plainDateISO('UTC')).days % 7);

const noCampaigns = { status: 404, body: '{"message":"No campaigns found"}' };

async function setUp(quiet: { readonly status: number; readonly body: string } = noCampaigns) {
  const simulator = await startSimulator({
    dataset: { accounts: [{ name: 'main', token }], clients: () => [], campaigns: () => [] },
    intercept: ({ operation, params }) => {
      if (operation !== 'campaignSummary') return undefined;
      const [month, date, year] = params.get('startdate')!.split('-');
      const day = `${year}-${month}-${date}`;
      if (isQuiet(day)) return quiet;
      const attempts = 100 + Temporal.PlainDate.from(day).dayOfYear;
      const row = { callsetid: 1, campaign: 'spring', attempts, busies: 1, connects: 50, liveanswers: 20 };
      return { body: JSON.stringify({ campaigns: 1, reports: 1, result: [row], message: 'Report ready' }) };
    },
  });
  const database = await createDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-init-asks-'));
  onTestFinished(async () => {
    await simulator.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  const environment = {
    SERVICE_BASE_URL: simulator.url,
    SIDTOKEN: token,
    TIME_ZONE: 'UTC',
    DATABASE_URL: database.url,
    DIGEST_TO: 'manager@example.com',
    LOG_LEVEL: 'warn',
  };
  return { folder, environment };
}

const run = async (
  folder: string,
  environment: Record<string, string>,
  args: readonly string[],
  input = '',
) => {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...npmStart, ...args], {
    cwd: folder,
    env: { PATH, HOME, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  return await ended(child);
};

it('asks at a terminal about each thing with its days, and no alert is left of what was accepted', async () => {
  const { folder, environment } = await setUp();
  const terminal = openTerminal(100, ['init'], environment, folder);
  let shown = '';
  terminal.stdout.setEncoding('utf8');
  terminal.stdout.on('data', (text: string) => {
    shown += stripVTControlCharacters(text);
  });
  const until = async (words: string, after = 0) => {
    while (!shown.includes(words, after)) await once(terminal.stdout, 'data');
    return shown.indexOf(words, after) + words.length;
  };
  for (const question of ['mail server', 'watchdog', 'Load five weeks']) {
    await until(question);
    terminal.stdin.write('\n');
  }
  let at = await until('Is it so that');
  terminal.stdin.write('maybe\n');
  at = await until('Is it so that', at);
  terminal.stdin.write('y\n');
  await until('Is it so that', at);
  terminal.stdin.write('y\n');
  await once(terminal, 'exit');
  expect(shown).toMatch(/On 25 days the service says "message: Report ready" beside its campaigns\./);
  expect(shown).toMatch(
    /On 10 days the service answers "HTTP 404; message: No campaigns found" in the place of a list\./,
  );
  const status = await run(folder, environment, ['status', '--json']);
  const { alerts } = JSON.parse(status.stdout) as { alerts: { code: string }[] };
  expect(
    alerts.filter(({ code }) => ['UNKNOWN_ANSWER', 'DAYS_PROVISIONAL', 'NEW_REMARK'].includes(code)),
  ).toEqual([]);
  expect((await run(folder, environment, ['status', '--all'])).stdout).toContain('Accepted for good:');
});

it('prints the commands without a terminal, which do the same', async () => {
  const { folder, environment } = await setUp();
  const { stdout } = await run(folder, environment, ['init'], '\n\ny\n');
  const commands = [...stdout.matchAll(/npm start -- (accept --always \S+)/g)].map(([, command]) => command!);
  expect(new Set(commands).size).toBe(2);
  for (const command of new Set(commands))
    expect(await run(folder, environment, command.split(' '))).toMatchObject({ code: 0 });
  expect(await run(folder, environment, ['run'])).toMatchObject({ code: 0 });
});

it('ends at an answer that can’t be read, as nobody could say what it means', async () => {
  const { folder, environment } = await setUp({ status: 200, body: '{"result":[{"callsetid":' });
  const { code, stdout } = await run(folder, environment, ['init'], '\n\ny\n');
  expect(code).toBe(75);
  expect(stdout).toContain('Correct it and run the same command again');
});
