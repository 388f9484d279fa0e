import type { PgBoss } from 'pg-boss';
import type { AppContext } from '../job/run/app-context.ts';
import { shareRate } from '../job/run/share-rate.ts';
import type { WindowExecutor } from '../job/windows/executor.ts';
import { warehouseFailure } from '../warehouse/failures.ts';
import { startBoss } from './boss.ts';
import type { Patience } from './signs.ts';
import { workWindows } from './work-windows.ts';
import { workerExecutor } from './worker-executor.ts';

/** Two hands that take and settle, and the one that looks after the others. */
const connections = 3;

/** Does the work of a run whose windows are pulled by workers. */
export async function withWorkers<T>(
  app: AppContext,
  work: (app: AppContext, executor: WindowExecutor) => Promise<T>,
  patience?: Patience,
): Promise<T> {
  return await withBoss(app, false, (boss) => work(shareRate(app), workerExecutor(boss, patience)));
}

/** Works windows until `signal` is aborted. */
export async function beWorker(app: AppContext, signal: AbortSignal): Promise<void> {
  await withBoss(app, true, (boss) => workWindows(shareRate(app), boss, signal));
}

async function withBoss<T>(
  app: Pick<AppContext, 'openPlainSql' | 'log' | 'redact'>,
  supervise: boolean,
  work: (boss: PgBoss) => Promise<T>,
): Promise<T> {
  const sql = app.openPlainSql(connections);
  try {
    const boss = await startBoss(sql, supervise, tellingOnce(app));
    try {
      return await work(boss);
    } finally {
      await boss.stop({ graceful: false });
    }
  } finally {
    await sql.end();
  }
}

/** What is asked twice a second fails twice a second while the database is away: the same is told once a minute. */
function tellingOnce({ log, redact }: Pick<AppContext, 'log' | 'redact'>): (error: Error) => void {
  const told = new Map<string, number>();
  return (error) => {
    // pg-boss tells errors as plain objects, and which of its hands met them.
    const said = error.message.replace(/ \(Queue: .*\)$/, '');
    const meant = warehouseFailure(Object.assign(new Error(), error, { message: said }));
    const line = redact(meant?.message ?? said);
    if (performance.now() - (told.get(line) ?? Number.NEGATIVE_INFINITY) < 60_000) return;
    told.set(line, performance.now());
    log.warn(`the queue: ${line}`);
  };
}
