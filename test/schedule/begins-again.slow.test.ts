import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { parseExposition } from '../server/exposition.ts';
import { freePort } from '../server/site.ts';
import { ended, npmStart } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';

const { token } = generateDataset().accounts[0]!;
const expired = 'an-expired-session-token';

type Write = (content: string, name: string) => Promise<void>;

/** A way to hand over the token: the settings that name it, and how somebody replaces it. */
type Way = {
  readonly settings: Readonly<Record<string, string>>;
  readonly write: (sidtoken: string, write: Write, folder: string) => Promise<void>;
};

const ways: Readonly<Record<string, Way>> = {
  '.env': {
    settings: {},
    write: (sidtoken, write) => write(`SIDTOKEN=${sidtoken}`, '.env'),
  },
  'the accounts file': {
    settings: { ACCOUNTS_FILE: 'accounts.json' },
    write: (sidtoken, write) => write(JSON.stringify([{ name: 'main', sidtoken }]), 'accounts.json'),
  },
  'a Secret that Kubernetes mounts, and swaps by a symlink': {
    settings: { SIDTOKEN_FILE: 'secret/token' },
    async write(sidtoken, write, folder) {
      const version = `..${sidtoken}`;
      await mkdir(path.join(folder, 'secret', version), { recursive: true });
      await write(sidtoken, `secret/${version}/token`);
      await symlink('..data/token', path.join(folder, 'secret/token')).catch(() => {});
      await symlink(version, path.join(folder, 'secret/..data_tmp'));
      await rename(path.join(folder, 'secret/..data_tmp'), path.join(folder, 'secret/..data'));
    },
  },
};

/** An installation under `npm start`, whose `schedule` runs each second. */
async function openInstallation(settings: Readonly<Record<string, string>>) {
  let inRun = async (): Promise<void> => {};
  const world = await openWorld({
    async intercept() {
      await inRun();
      return undefined;
    },
  });
  onTestFinished(() => world.close());
  const { ACCOUNTS_FILE: _, HTTP_PORT: __, ...environment } = world.environment;
  const type = (...args: string[]) =>
    spawn(process.execPath, [...npmStart, ...args], {
      cwd: world.folder,
      env: { ...environment, ALERT_TO: 'ops@example.com', SCHEDULE: '* * * * * *', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const write: Write = (content, name) => writeFile(path.join(world.folder, name), content, { mode: 0o600 });
  return {
    folder: world.folder,
    write,
    /** Does `work` once, while the service gets a request. */
    async inNextRun(work: () => Promise<void>) {
      const done = Promise.withResolvers<void>();
      inRun = async () => {
        inRun = () => done.promise;
        await work();
        done.resolve();
      };
      await done.promise;
    },
    status: () => ended(type('status')),
    /** Starts it; `lineWith` resolves to a later line of its log. */
    schedule() {
      const child = type('schedule');
      const exit = once(child, 'exit');
      onTestFinished(async () => {
        child.kill('SIGTERM');
        await exit;
      });
      const lines = createInterface(child.stderr)[Symbol.asyncIterator]();
      return async function lineWith(text: string): Promise<string> {
        for (;;) {
          const { value, done } = await lines.next();
          if (done) throw new Error(`it ended without a line with ${text}`);
          if (value.includes(text)) return value;
        }
      };
    },
    /** The texts of the alert mails. */
    async readMails() {
      const names = await readdir(world.outbox).catch(() => []);
      const alerts = names.filter((name) => name.startsWith('alert-')).sort();
      return await Promise.all(alerts.map((name) => readFile(path.join(world.outbox, name), 'utf8')));
    },
  };
}

/** What page and metrics show; null if nobody serves them. */
async function readSurfaces(port: number) {
  const read = async (route: string) => await (await fetch(`http://127.0.0.1:${port}${route}`)).text();
  try {
    const active = parseExposition(await read('/metrics')).get('callsheet_active_alerts')!.samples;
    return {
      page: /<h1>(.*?)<\/h1>/.exec(await read('/'))![1]!.replaceAll(/<.*?>/g, ''),
      alerts: active.filter(({ value }) => value > 0).map(({ labels }) => labels.code),
    };
  } catch {
    return null;
  }
}

const showing = (words: string, ...alerts: string[]) => ({ page: expect.stringContaining(words), alerts });
const good = showing('All good');
const wrong = showing('run failed: invalid configuration', 'RUN_FAILED');

it.each(Object.entries(ways))(
  'a token that is replaced in %s in the middle of a run is used by the next; a wrong one is that error, and the one after heals',
  async (_, way) => {
    const port = await freePort();
    const installation = await openInstallation({ HTTP_PORT: `${port}`, ...way.settings });
    const { folder, write, inNextRun, readMails, status } = installation;
    const surfaces = () => readSurfaces(port);
    const clears = async () =>
      (await readMails()).filter((mail) => /^Subject: .*all clear/m.test(mail)).length;
    await way.write(expired, write, folder);
    const lineWith = installation.schedule();
    await expect.poll(surfaces).toEqual(showing('token refused', 'TOKEN_REFUSED'));

    await inNextRun(() => way.write(token, write, folder));
    await expect.poll(surfaces).toEqual(good);
    await expect.poll(clears).toBe(1);

    await inNextRun(() => way.write('e', write, folder));
    const line = await lineWith('too short');
    expect(JSON.parse(line)).toMatchObject({ code: 'INVALID_CONFIGURATION' });
    // The last good ones serve the page.
    await expect.poll(surfaces).toEqual(wrong);
    await expect.poll(readMails).toContainEqual(expect.stringContaining('too short'));
    expect(await status()).toMatchObject({ code: 78, stderr: expect.stringContaining('too short') });

    await way.write(token, write, folder);
    await expect.poll(surfaces).toEqual(good);
    expect(await status()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^All good/) });
    await expect.poll(clears).toBe(2);
    // Nobody learned the letter, and nobody is asked to restart.
    expect((await readMails()).join()).not.toMatch(/\[redacted\]|restart/i);
  },
);

it('schedule moves its page to another port, and keeps the last good one as long as another program has that', async () => {
  const { write, schedule } = await openInstallation({ SIDTOKEN: token, SCHEDULE: '*/5 * * * * *' });
  const [first, second] = [await freePort(), await freePort()];
  const choose = (port: number) => write(`HTTP_PORT=${port}`, '.env');
  const shown = (port: number) => expect.poll(() => readSurfaces(port));
  await choose(first);
  const lineWith = schedule();
  await shown(first).toEqual(good);
  await choose(second);
  await shown(second).toEqual(good);
  expect(await readSurfaces(first)).toBeNull();

  const other = createServer().listen(first, '127.0.0.1');
  await once(other, 'listening');
  await choose(first);
  expect(await lineWith('are wrong')).toContain(`can't listen on HTTP_PORT ${first}`);
  await shown(second).toEqual(wrong);
  other.close();
  await shown(first).toEqual(good);
});
