import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type PrivatePostgres,
  type PrivatePostgresOptions,
  startPrivatePostgres,
} from '../../src/private-postgres/server.ts';

/** A private Postgres that a process of its own, the keeper, holds for us. */
export interface KeptPostgres extends Omit<PrivatePostgres, 'stop'> {
  /** The same server's database `postgres`. */
  readonly adminUrl: string;
  /** The folder that really holds the data; elsewhere than requested if root's clone is closed to others. */
  readonly directory: string;
  /** Lets the keeper stop its server, if it is its own, and exit. */
  stop(): Promise<void>;
  /** Kills the keeper, and leaves its server without an owner. */
  kill(): Promise<void>;
}

type KeeperOptions = Omit<PrivatePostgresOptions, 'log'> & {
  /** Whether the keeper removes the folder at the end. */
  temporary?: boolean;
};

/**
 * Starts a private Postgres that ends with us, however we end: the keeper watches a pipe, which Ctrl-C
 * and kill -9 close too, while vitest runs no teardown then.
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

async function keep({ temporary, ...options }: KeeperOptions): Promise<void> {
  const closed = once(process.stdin.resume(), 'close');
  process.stdout.on('error', () => {}); // Nobody listens any more: the same as a closed stdin.
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
