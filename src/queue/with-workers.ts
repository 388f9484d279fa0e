import type { PgBoss } from 'pg-boss';
import { type AppContext, shareRate } from '../job/run/app-context.ts';
import type { WindowExecutor } from '../job/windows/sync-windows.ts';
import { markOfConnection, warehouseFailure } from '../warehouse/failures.ts';
import { startBoss } from './boss.ts';
import { workWindows } from './work-windows.ts';
import { type WorkerLimits, workerExecutor } from './worker-executor.ts';

const connections = 3;

/** Does the work of a run with an executor that leaves the windows to workers. */
export async function withWorkers<T>(
  app: AppContext,
  work: (app: AppContext, executor: WindowExecutor) => Promise<T>,
  limits?: WorkerLimits,
): Promise<T> {
  return await withBoss(app, false, (boss) => work(shareRate(app), workerExecutor(boss, limits)));
}

/** Syncs windows from the queue until `signal` is aborted. */
export async function runWorker(app: AppContext, signal: AbortSignal): Promise<void> {
  await withBoss(app, true, (boss) => workWindows(shareRate(app), boss, signal));
}

async function withBoss<T>(
  app: AppContext,
  supervise: boolean,
  work: (boss: PgBoss) => Promise<T>,
): Promise<T> {
  const sql = app.openPlainSql(connections);
  try {
    const boss = await startBoss(sql, supervise, warningOncePerMinute(app));
    try {
      return await work(boss);
    } finally {
      await boss.stop({ graceful: false });
    }
  } finally {
    await sql.end();
  }
}

/** Logs the same error at most once a minute: while the database is down, each poll fails. */
function warningOncePerMinute({ log, redact }: AppContext): (error: Error) => void {
  const loggedAt = new Map<string, number>();
  return (error) => {
    // pg-boss emits plain objects whose messages contain the queue's name.
    const message = error.message.replace(/ \(Queue: .*\)$/, '');
    const copy = Object.assign(new Error(), error, { message });
    markOfConnection(copy);
    const failure = warehouseFailure(copy);
    const line = redact(failure?.detail ?? message);
    if (performance.now() - (loggedAt.get(line) ?? Number.NEGATIVE_INFINITY) < 60_000) return;
    loggedAt.set(line, performance.now());
    log.warn(`the queue: ${line}`);
  };
}
