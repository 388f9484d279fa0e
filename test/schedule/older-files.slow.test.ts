import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { parseExposition } from '../server/exposition.ts';
import { freePort } from '../server/site.ts';
import { ended, npmStart } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';

const { token } = generateDataset().accounts[0]!;
const runEnded = /^(done|partial|failed) in /;
const expired = 'an-expired-session-token';

/** An installation whose settings are in files; `schedule` runs each second. */
async function openInstallation(
  files: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>>,
) {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const { ACCOUNTS_FILE: _, ...environment } = world.environment;
  const port = await freePort();
  const write = (name: string, content: string) =>
    writeFile(path.join(world.folder, name), content, { mode: 0o600 });
  for (const [name, content] of Object.entries(files)) await write(name, content);
  const start = (args: readonly string[], others: Readonly<Record<string, string>> = {}) =>
    spawn(process.execPath, [...npmStart, ...args], {
      cwd: world.folder,
      env: { PATH: process.env.PATH, ALERT_TO: 'ops@example.com', ...environment, ...settings, ...others },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const get = async (route: string) => await (await fetch(`http://127.0.0.1:${port}${route}`)).text();
  return {
    write,
    type: (...args: string[]) => ended(start(args)),
    /** Starts it, and resolves once it has run; `lineWith` resolves to a later line. */
    async keepUp() {
      const child = start(['schedule'], { SCHEDULE: '* * * * * *', HTTP_PORT: `${port}` });
      onTestFinished(() => void child.kill('SIGKILL'));
      const ending = ended(child);
      const lines = createInterface(child.stderr)[Symbol.asyncIterator]();
      async function lineWith(text: RegExp): Promise<string> {
        for (;;) {
          const { value, done } = await lines.next();
          if (done) throw new Error(`it ended without a line with ${text}`);
          const { msg } = JSON.parse(value) as { msg: string };
          if (text.test(msg)) return msg;
        }
      }
      await lineWith(runEnded);
      async function stop() {
        child.kill('SIGTERM');
        await ending;
      }
      return { lineWith, stop };
    },
    /** What page and metrics show. */
    async readSurfaces() {
      const active = parseExposition(await get('/metrics')).get('callsheet_active_alerts')!.samples;
      return {
        page: /<h1>(.*?)<\/h1>/.exec(await get('/'))![1]!.replaceAll(/<.*?>/g, ''),
        alerts: active.filter(({ value }) => value > 0).map(({ labels }) => labels.code),
      };
    },
    async readSubjects() {
      const names = (await readdir(world.outbox)).filter((name) => name.startsWith('alert-')).sort();
      const mails = await Promise.all(names.map((name) => readFile(path.join(world.outbox, name), 'utf8')));
      return mails.map((mail) => /^Subject: (.*)$/m.exec(mail)![1]!);
    },
  };
}

it.each([
  ['ACCOUNTS_FILE', 'accounts.json', (sidtoken: string) => JSON.stringify([{ name: 'main', sidtoken }])],
  ['.env', '.env', (sidtoken: string) => `SIDTOKEN=${sidtoken}\n`],
])(
  'a token corrected in %s under a running schedule: a run typed uses it, and every surface says what to restart, until that is done',
  async (_, file, contentOf) => {
    const settings = file === '.env' ? {} : { ACCOUNTS_FILE: file };
    const { write, type, keepUp, readSurfaces, readSubjects } = await openInstallation(
      { [file]: contentOf(expired) },
      settings,
    );
    const schedule = await keepUp();
    expect(await readSurfaces()).toEqual({
      page: expect.stringContaining('token refused'),
      alerts: ['TOKEN_REFUSED'],
    });

    await write(file, contentOf(token));
    const changed = expect.stringMatching(new RegExp(`${file} changed on \\d+ \\w+ at \\d\\d:\\d\\d`));
    expect(await schedule.lineWith(/restart to use it/)).toEqual(changed);
    await schedule.lineWith(runEnded);
    const served = await readSurfaces();
    expect(served.alerts).toContain('FILES_CHANGED');
    expect(served.page).toContain('schedule uses older files');
    expect(await type('status')).toMatchObject({ code: 75, stdout: changed });
    await expect.poll(readSubjects).toContainEqual(expect.stringContaining('schedule uses older files'));

    await schedule.stop();
    expect((await type('status')).stdout).not.toContain(`${file} changed on`);
    expect(await type('run')).toMatchObject({ code: 0 });
    const restarted = await keepUp();
    expect(await readSurfaces()).toEqual({ page: expect.stringMatching(/^All good/), alerts: [] });
    expect(await type('status')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^All good/) });
    await expect.poll(readSubjects).toContainEqual(expect.stringContaining('all clear'));
    await restarted.stop();
  },
);

it('a token corrected in SIDTOKEN_FILE is used by the next run, and nothing is to be restarted', async () => {
  const { write, type, keepUp, readSurfaces, readSubjects } = await openInstallation(
    { token: expired },
    { SIDTOKEN_FILE: 'token' },
  );
  const schedule = await keepUp();
  expect(await readSurfaces()).toEqual({
    page: expect.stringContaining('token refused'),
    alerts: ['TOKEN_REFUSED'],
  });
  await write('token', token);
  const good = { page: expect.stringMatching(/^All good/), alerts: [] };
  await expect.poll(readSurfaces).toEqual(good);
  expect(await type('status')).toMatchObject({ code: 0 });
  await expect.poll(readSubjects).toContainEqual(expect.stringContaining('all clear'));
  await schedule.stop();
});
