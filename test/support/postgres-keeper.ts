import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type PrivatePostgres,
  type PrivatePostgresOptions,
  startPrivatePostgres,
} from '../../src/private-postgres/server.ts';
import type { ServerCertificate } from './certificates.ts';

/** A private Postgres whose owner is another process, the keeper. */
export interface KeptPostgres extends Omit<PrivatePostgres, 'stop'> {
  /** The URL of the server's database `postgres`. */
  readonly adminUrl: string;
  /** The folder of the data; it differs from the requested one if only root may open that. */
  readonly directory: string;
  /** Ends the keeper, which stops the server if it owns it. */
  stop(): Promise<void>;
  /** Kills the keeper and leaves its server running without an owner. */
  kill(): Promise<void>;
}

type KeeperOptions = Omit<PrivatePostgresOptions, 'log'> & {
  /** The keeper removes the folder at the end. */
  temporary?: boolean;
};

/**
 * Starts a private Postgres that ends with this process. The keeper watches a pipe, which Ctrl-C and kill -9 also close;
 * vitest runs no teardown then.
 */
export async function keepPostgres(options: KeeperOptions): Promise<KeptPostgres> {
  const keeper = spawn(process.execPath, [import.meta.filename, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = once(keeper, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`the keeper ended with ${code}`)));
  const [line] = await Promise.race([once(createInterface(keeper.stdout), 'line'), failed]);
  failed.catch(() => {});
  const end = async (action: () => void) => {
    if (keeper.exitCode === null && keeper.signalCode === null) action();
    await exited;
    if (keeper.exitCode) throw new Error(`the keeper ended with ${keeper.exitCode}`);
  };
  return {
    ...JSON.parse(line),
    stop: () => end(() => keeper.stdin.end()),
    kill: () => end(() => keeper.kill('SIGKILL')),
  };
}

/** As `keepPostgres`, on a server that also speaks TLS, with this certificate. */
export async function keepPostgresWithTls(
  options: KeeperOptions,
  { key, cert }: ServerCertificate,
): Promise<KeptPostgres> {
  // Started once to find out which user it runs as: the key has to be readable by that one alone.
  const plain = await keepPostgres({ ...options, temporary: false });
  const { uid, gid } = await stat(join(plain.directory, 'data'));
  await plain.stop();
  const file = join(options.directory, 'server.pem');
  await writeFile(file, Buffer.concat([key, cert]), { mode: 0o600 });
  await chown(file, uid, gid);
  const tls = { ssl: 'on', ssl_cert_file: file, ssl_key_file: file };
  return await keepPostgres({ ...options, settings: { ...options.settings, ...tls } });
}

async function keep({ temporary, ...options }: KeeperOptions): Promise<void> {
  const closed = once(process.stdin.resume(), 'close');
  process.stdout.on('error', () => {}); // The parent has ended: stdin closes, too.
  const server = await startPrivatePostgres(options);
  const adminUrl = Object.assign(new URL(server.url), { pathname: 'postgres' }).href;
  const directory = await realpath(join(options.directory, 'postgres'));
  process.stdout.write(`${JSON.stringify({ ...server, adminUrl, directory })}\n`);
  await closed;
  await server.stop();
  if (!temporary) return;
  for (const folder of [directory, options.directory]) await rm(folder, { recursive: true, force: true });
}

if (import.meta.main) await keep(JSON.parse(process.argv[2] ?? ''));
