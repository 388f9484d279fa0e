import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { read, root } from '../deploy/known.ts';
import { peers, runPeer } from '../support/peers.ts';
import { scratchFolder } from '../support/scratch.ts';

const analyze = (...args: readonly string[]) => runPeer(peers['systemd-analyze'], args);

/** The files of deploy/systemd, for the clone of this test in the place of /opt/callsheet. */
async function installUnits(): Promise<string> {
  const folder = await scratchFolder('callsheet-units-');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(path.join(root, 'deploy/systemd'), folder, { recursive: true });
  for (const name of await readdir(folder, { recursive: true })) {
    const file = path.join(folder, name);
    if (!/\.(service|timer|conf)$/.test(name) || name.endsWith('.d')) continue;
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('/opt/callsheet', root));
  }
  return folder;
}

it.each([
  ['a token', false],
  ['several accounts', true],
])(
  'systemd takes the units of deploy/systemd with %s, and finds nothing in them to warn of',
  async (_, isDropIn) => {
    const folder = await installUnits();
    if (!isDropIn) await rm(path.join(folder, 'callsheet.service.d'), { recursive: true });
    const units = ['callsheet.service', 'callsheet.timer'].map((name) => path.join(folder, name));
    expect(await analyze('--man=no', 'verify', ...units)).toEqual({ code: 0, output: '' });
  },
);

it('systemd reads the time of the timer, and the one of docs/install.md, in its zone', async () => {
  const [, documented] = /`OnCalendar=([^`]+)`/.exec(read('docs/install.md'))!;
  const [, own] = /^OnCalendar=(.+)$/m.exec(read('deploy/systemd/callsheet.timer'))!;
  expect(documented).toContain('America/New_York');
  for (const time of [documented!, own!])
    expect(await analyze('calendar', time)).toMatchObject({
      code: 0,
      output: expect.stringContaining(`Normalized form: ${time}`),
    });
});
