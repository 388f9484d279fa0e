import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../deploy/known.ts';
import { bases, cache } from './base.ts';
import { run, type Store } from './store.ts';

export const image = 'localhost/callsheet';

/** Builds the Dockerfile as it stands, with this machine's way to the registry. */
export async function buildImage({ buildah }: Store): Promise<void> {
  await mkdir(`${cache}/npm`, { recursive: true });
  const volumes = [`${cache}/npm:/root/.npm`, ...(await npmSettings())];
  await buildah(
    'build',
    '--isolation=chroot',
    // As Docker has it: the form of OCI knows no health check.
    '--format=docker',
    `--build-arg=NODE_IMAGE=${bases.run}`,
    `--build-arg=BUILD_IMAGE=${bases.build}`,
    ...volumes.map((each) => `--volume=${each}`),
    `--tag=${image}`,
    root,
  );
}

/** The files that say where npm gets packages, and whom it trusts; no layer has them. */
async function npmSettings(): Promise<string[]> {
  const [user, machine, cafile] = await Promise.all(
    ['userconfig', 'globalconfig', 'cafile'].map((name) => run('npm', 'config', 'get', '--silent', name)),
  );
  // npm looks for the machine's file next to the Node that runs it, and there it may be missing: then Node's own variable counts.
  const authorities = path.isAbsolute(cafile!) ? cafile! : (process.env.NODE_EXTRA_CA_CERTS ?? '');
  const trusting = path.join(cache, 'npmrc');
  await writeFile(trusting, authorities === '' ? '' : `cafile=${authorities}\n`);
  const places = [
    [user!, '/root/.npmrc'],
    [existsSync(machine!) ? machine! : trusting, '/usr/local/etc/npmrc'],
    [authorities, authorities],
  ];
  return places
    .filter(([file]) => path.isAbsolute(file!) && existsSync(file!))
    .map(([file, place]) => `${file}:${place}:ro`);
}
