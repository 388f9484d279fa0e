import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
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
  const [user, machine, authorities] = await Promise.all(
    ['userconfig', 'globalconfig', 'cafile'].map((name) => run('npm', 'config', 'get', '--silent', name)),
  );
  const places = [
    [user!, '/root/.npmrc'],
    [machine!, '/usr/local/etc/npmrc'],
    [authorities!, authorities!],
  ];
  return places
    .filter(([file]) => path.isAbsolute(file!) && existsSync(file!))
    .map(([file, place]) => `${file}:${place}:ro`);
}
