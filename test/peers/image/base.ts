import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { run, type Store } from './store.ts';

/** Its tarball has all that it needs in it. */
const npm = 'npm@11.21.2';
/** What Node needs, and a minimal Debian lacks. */
const packages = 'ca-certificates,libatomic1';

/** What a second run of the tests need not fetch again. */
export const cache = path.join(
  process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'),
  'callsheet-image',
);

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
