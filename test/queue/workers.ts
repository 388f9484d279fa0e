import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Environment } from '../../src/config/environment.ts';
import { installQueue } from '../../src/queue/boss.ts';
import { openPlainSql } from '../../src/warehouse/db/plain-sql.ts';
import { startCallsheet } from '../support/callsheet.ts';

/** Sets up the queue in a database. */
export async function setUpQueue(databaseUrl: string): Promise<void> {
  const sql = openPlainSql(databaseUrl, 1);
  await installQueue(sql);
  await sql.end();
}

export type Worker = AsyncDisposable & {
  readonly child: ReturnType<typeof startCallsheet>;
  readonly exit: Promise<unknown[]>;
  /** The lines that it logged so far. */
  readonly lines: readonly string[];
};

/** A worker as a process of its own; it ends with the test. */
export function startWorker(environment: Environment, ...options: string[]): Worker {
  const child = startCallsheet(['worker', ...options], environment);
  const exit = once(child, 'exit');
  const lines: string[] = [];
  child.stdout.resume();
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  return {
    child,
    exit,
    lines,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
