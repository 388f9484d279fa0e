import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { root } from '../../deploy/known.ts';
import { run, type Store } from './store.ts';

/** Its tarball has all that it needs in it. */
const npm = 'npm@11.21.2';
/** What Node needs, and a minimal Debian lacks. */
const packages = 'ca-certificates,libatomic1';

/** What a second run of the tests need not fetch again. */
const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'callsheet-image');

export const bases = {
  /** Debian with our Node. */
  run: 'localhost/node',
  /** The same with npm. */
  build: 'localhost/node-and-npm',
};

/** Makes the two bases of the image. */
export async function makeBases({ folder, buildah }: Store): Promise<void> {
  const container = await buildah('from', 'scratch');
  const root = await buildah('mount', container);
  await run('tar', '--extract', `--file=${await minimalDebian(folder)}`, `--directory=${root}`);
  await cp(process.execPath, path.join(root, 'usr/local/bin/node'));
  await buildah('commit', '--quiet', container, bases.run);
  await installNpm(root);
  await buildah('commit', '--quiet', container, bases.build);
  await buildah('rm', container);
}

/** The tarball of a minimal Debian, made once by debootstrap of what this machine's apt has. */
async function minimalDebian(folder: string): Promise<string> {
  const [mirror, suite] = await debian();
  const tarball = path.join(cache, `${suite}-${process.arch}-${packages}.tar`);
  if (existsSync(tarball)) return tarball;
  await mkdir(cache, { recursive: true });
  const root = path.join(folder, 'debian');
  await run('debootstrap', '--variant=minbase', `--include=${packages}`, suite, root, mirror);
  // Images of Debian have neither.
  const left = ['./dev/*', './var/cache/apt/*', './var/lib/apt/lists/*'].map((each) => `--exclude=${each}`);
  await run('tar', '--create', `--file=${folder}/debian.tar`, ...left, `--directory=${root}`, '.');
  await run('cp', `${folder}/debian.tar`, `${tarball}.${process.pid}`);
  await rename(`${tarball}.${process.pid}`, tarball);
  await rm(root, { recursive: true });
  return tarball;
}

async function debian(): Promise<[mirror: string, suite: string]> {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const targets = await run('apt-get', 'indextargets', '--format', format, 'Identifier: Packages');
  const target = targets.split('\n').find((line) => line.endsWith(' main'));
  if (target === undefined) throw new Error('apt has no lists of packages here: apt-get update');
  const [mirror, suite] = target.split(' ');
  return [mirror!, suite!];
}

async function installNpm(root: string): Promise<void> {
  const packed = await mkdtemp(path.join(cache, 'npm-'));
  await run('npm', 'pack', '--silent', `--pack-destination=${packed}`, npm);
  const [tarball] = await readdir(packed);
  const place = path.join(root, 'usr/local/lib/node_modules/npm');
  await mkdir(place, { recursive: true });
  await run(
    'tar',
    '--extract',
    `--file=${packed}/${tarball}`,
    '--strip-components=1',
    `--directory=${place}`,
  );
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', path.join(root, 'usr/local/bin/npm'));
  await rm(packed, { recursive: true });
}

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
