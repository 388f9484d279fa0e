import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findPrograms, type PostgresPrograms, sharedFolder } from './binaries.ts';
import { runAs, type SystemUser } from './process.ts';

/** A prepared folder: the data, the password, the log and the record of who runs it lie in `path`. */
export interface PostgresFolder {
  path: string;
  data: string;
  log: string;
  password: string;
  programs: PostgresPrograms;
  user: SystemUser | undefined;
}

export interface FolderRequest {
  directory: string;
  binaries: string | undefined;
  /** Without a flush to disk: for data that may be lost. */
  hasty: boolean;
  log: (message: string) => void;
}

/** Opens `<directory>/postgres`, and prepares it the first time. */
export async function openPostgresFolder(request: FolderRequest): Promise<PostgresFolder> {
  await mkdir(request.directory, { recursive: true });
  const place = join(await realpath(request.directory), 'postgres');
  const existing = await existingFolder(place, request.log);
  const user = await serverUser(existing);
  const programs = await findPrograms(request.binaries, user, request.log);
  const path = existing ?? (await createFolder(place, programs, user, request));
  const data = join(path, 'data');
  await requireVersion(data, programs);
  const password = await readFile(join(path, 'password'), 'utf8');
  return { path, data, log: join(path, 'server.log'), password, programs, user };
}

async function existingFolder(place: string, log: (message: string) => void): Promise<string | undefined> {
  const found = await lstat(place).catch(absent);
  if (!found) return undefined;
  const path = await realpath(place).catch(absent);
  if (!path) {
    log(`the private Postgres's data is gone from where ${place} points to: it begins anew, empty`);
    await rm(place, { force: true });
    return undefined;
  }
  await requireTrusted(path, path !== place);
  if (await stat(join(path, 'data', 'PG_VERSION')).catch(absent)) return path;
  if ((await readdir(path)).length > 0) {
    throw new Error(`${place} is not a private Postgres's folder, or lost its data: move it away`);
  }
  await rmdir(place);
  return undefined;
}

/** A folder that another user controls could make root read, write or signal what that user likes. */
async function requireTrusted(path: string, isElsewhere: boolean): Promise<void> {
  const us = process.getuid?.();
  if (us === undefined) return;
  const { uid, mode } = await stat(path);
  if ((mode & 0o022) === 0 && (uid === us || !isElsewhere)) return;
  throw new Error(`other users control ${path}: remove the folder, or set DATABASE_URL to your Postgres`);
}

/** Postgres refuses to run as root: then it runs as the owner of its data, or as `postgres`, or `nobody`. */
async function serverUser(existing: string | undefined): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = existing === undefined ? undefined : await stat(join(existing, 'data'));
  if (owner && owner.uid !== 0) return { name: `number ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((fields) => fields[0] === name) ?? [];
    if (Number(uid) > 0) return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'Postgres does not run as root, and /etc/passwd has neither a user postgres nor nobody: ' +
      'run as an ordinary user, or set DATABASE_URL to your Postgres',
  );
}

/**
 * Prepares a folder under another name and puts it in its place in one step: a start that is killed
 * leaves nothing half made there, and of two starts at once the second finds the first's.
 */
async function createFolder(
  place: string,
  programs: PostgresPrograms,
  user: SystemUser | undefined,
  { hasty, log }: FolderRequest,
): Promise<string> {
  const isReachable = user === undefined || (await canReach(user, dirname(place)));
  const fresh = await mkdtemp(isReachable ? `${place}.new-` : join(sharedFolder, 'callsheet-'));
  log(`preparing a private Postgres in ${isReachable ? place : fresh}`);
  try {
    await initialise(fresh, programs, user, hasty);
    await (isReachable ? rename(fresh, place) : symlink(fresh, place));
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(code)) throw error;
  }
  return realpath(place);
}

async function canReach(user: SystemUser, folder: string): Promise<boolean> {
  return runAs(user, 'test', ['-x', folder]).then(
    () => true,
    () => false,
  );
}

async function initialise(
  path: string,
  programs: PostgresPrograms,
  user: SystemUser | undefined,
  hasty: boolean,
): Promise<void> {
  const [data, password] = [join(path, 'data'), join(path, 'password')];
  await mkdir(data, { mode: 0o700 });
  await writeFile(password, randomBytes(18).toString('base64url'), { mode: 0o600 });
  if (user) {
    // The folder stays root's, who writes to it; the server's user passes through to what it needs.
    await chmod(path, 0o711);
    for (const own of [data, password]) await chown(own, user.uid, user.gid);
  }
  const options = ['--username=callsheet', `--pwfile=${password}`, '--auth=scram-sha-256'];
  options.push('--encoding=UTF8', '--locale=C', ...(hasty ? ['--no-sync'] : []));
  await runAs(user, join(programs.folder, 'initdb'), ['-D', data, ...options]).catch((error) => {
    const reason = String(error.stderr || error.message).trim();
    throw new Error(
      `initdb could not prepare ${data}: mend this, or set DATABASE_URL to your Postgres: ${reason}`,
    );
  });
}

async function requireVersion(data: string, programs: PostgresPrograms): Promise<void> {
  const major = Number(await readFile(join(data, 'PG_VERSION'), 'utf8'));
  if (major === programs.major) return;
  throw new Error(
    `${data} was made by Postgres ${major}, and ${programs.folder} holds Postgres ${programs.major}: ` +
      'use the same version, or remove the folder to begin anew',
  );
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
