import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../deploy/known.ts';
import { peers, runPeer } from '../../support/peers.ts';

/** Of 10, above which the unit has lost some of its confinement: systemd 252 says 1.5, for sockets and the JIT of V8. */
const maxExposure = 1.9;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'callsheet-units-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The units as installed, but for a clone that is here; with these drop-ins. */
async function install(name: string, dropIns: readonly string[]): Promise<string> {
  const installed = path.join(folder, name);
  await cp(path.join(root, 'deploy/systemd'), installed, { recursive: true });
  const files = await readdir(installed, { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile())) {
    const place = path.join(file.parentPath, file.name);
    const text = await readFile(place, 'utf8');
    await writeFile(place, text.replaceAll('/opt/callsheet', root));
    if (place.includes('.service.d') && !dropIns.includes(file.name)) await rm(place);
  }
  return installed;
}

const variants = [
  ['for one account', []],
  ['for several accounts', ['accounts.conf']],
] as const;

it.each(variants)('systemd finds nothing wrong with the units %s', async (name, dropIns) => {
  const units = await install(name, dropIns);
  const args = ['verify', '--man=no', 'callsheet.service', 'callsheet.timer'];
  expect(await runPeer(peers['systemd-analyze'], args, { SYSTEMD_UNIT_PATH: `${units}:` })).toEqual({
    code: 0,
    output: '',
  });
});

it.each(variants)('systemd calls the service confined %s', async (name, dropIns) => {
  const units = await install(`${name}, confined`, dropIns);
  const args = [
    'security',
    '--offline=true',
    `--threshold=${maxExposure * 10}`,
    path.join(units, 'callsheet.service'),
  ];
  const { code, output } = await runPeer(peers['systemd-analyze'], args);
  expect([code, output]).toEqual([0, expect.stringContaining('Overall exposure level')]);
});
