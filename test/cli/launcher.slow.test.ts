import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };
import { read, root } from '../deploy/known.ts';
import { callsheet, runIn } from '../support/callsheet.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'callsheet-launcher-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the command line', () => {
  it('has a version', async () => {
    expect(await callsheet(['--version'], {})).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });
});

describe('a demo that fails', () => {
  it('prints its error and ends, whatever it had started by then', async () => {
    const late = await mkdtemp(path.join(folder, 'late-'));
    await mkdir(path.join(late, '.callsheet/demo'), { recursive: true });
    await writeFile(path.join(late, '.callsheet/demo/postgres'), '');
    expect(await callsheet(['demo'], {}, late)).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^callsheet: .*postgres.*\n$/),
    });
  });
});

describe('the image', () => {
  /** What the Dockerfile copies, with the packages of `npm ci --omit=dev` and of them alone. */
  async function imageFolder(): Promise<string> {
    const app = await mkdtemp(path.join(folder, 'app-'));
    for (const each of ['package.json', 'migrations', 'src'])
      await cp(path.join(root, each), path.join(app, each), { recursive: true });
    const packages = Object.entries(lock.packages).filter(([name, entry]) => {
      return /^node_modules\/(@[^/]+\/)?[^/]+$/.test(name) && !('dev' in entry) && !('devOptional' in entry);
    });
    for (const [name] of packages) {
      await mkdir(path.dirname(path.join(app, name)), { recursive: true });
      await symlink(path.join(root, name), path.join(app, name));
    }
    return app;
  }

  it('without DATABASE_URL ends with 78 and one line', async () => {
    const app = await imageFolder();
    expect(read('Dockerfile')).toMatch(/\bCALLSHEET_COMMAND=callsheet\b/);
    const service = { SERVICE_BASE_URL: 'https://service.example.com', SIDTOKEN: 'a-token-of-an-account' };
    const environment = { ...service, CALLSHEET_COMMAND: 'callsheet' };
    expect(await runIn(app, process.execPath, ['src/main.ts', 'schedule'], environment)).toEqual({
      code: 78,
      stdout: '',
      stderr: expect.stringMatching(
        /^callsheet: DATABASE_URL is not set, and .*: set DATABASE_URL to your Postgres\n$/,
      ),
    });
    // No folder of a private Postgres, either.
    expect((await readdir(app)).filter((name) => name === '.callsheet')).toEqual([]);
  });
});

describe('the script beside the systemd units', () => {
  it('runs a command with the settings of the service', async () => {
    const home = await mkdtemp(path.join(folder, 'systemd-'));
    const script = path.join(home, 'callsheet');
    const text = read('deploy/systemd/callsheet')
      .replaceAll('/etc/callsheet', home)
      .replaceAll('/opt/callsheet', root);
    await writeFile(script, text);
    await chmod(script, 0o755);
    await writeFile(path.join(home, 'sidtoken'), 'the-token-of-the-service');
    await writeFile(
      path.join(home, 'callsheet.env'),
      'PAGE_LIMIT=wrong\nSERVICE_BASE_URL=https://service.example.com\n',
    );
    const ofOne = await runIn(home, script, ['run']);
    expect(ofOne.stderr).toMatch(/^callsheet: PAGE_LIMIT is .*"wrong".*\n$/);
    await writeFile(path.join(home, 'accounts.yaml'), '[{ name: main, sidtoken: the-token-of-an-account }]');
    await writeFile(
      path.join(home, 'callsheet.env'),
      `ACCOUNTS_FILE=${home}/accounts.yaml\nPAGE_LIMIT=wrong\n`,
    );
    const ofMany = await runIn(home, script, ['status']);
    expect(ofMany.stderr).toMatch(/^callsheet: PAGE_LIMIT is .*"wrong".*\n$/);
    // As systemd itself reads it for the unit: the # is part of the value.
    await writeFile(path.join(home, 'callsheet.env'), 'DATABASE_URL=postgres://u:pass#word@db/callsheet\n');
    expect((await runIn(home, script, ['status'])).stderr).toMatch(/^callsheet: DATABASE_URL has a # in /);
  });
});
