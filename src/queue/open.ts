import type { PgBoss } from 'pg-boss';
import type { Parts } from '../job/run/parts.ts';
import { shareRate } from '../job/run/share-rate.ts';
import type { Pulling } from '../job/windows/pulling.ts';
import { warehouseFailure } from '../warehouse/failures.ts';
import { startBoss } from './boss.ts';
import { pullingByWorkers } from './pulling-by-workers.ts';
import type { Patience } from './signs.ts';
import { workWindows } from './work-windows.ts';

/** Two hands that take and settle, and the one that looks after the others. */
const connections = 3;

/** Does the work of a run whose windows are pulled by workers. */
export async function withWorkers<T>(
  parts: Parts,
  work: (parts: Parts, pulling: Pulling) => Promise<T>,
  patience?: Patience,
): Promise<T> {
  return await withBoss(parts, false, (boss) => work(shareRate(parts), pullingByWorkers(boss, patience)));
}

/** Works windows until `signal` is aborted. */
export async function beWorker(parts: Parts, signal: AbortSignal): Promise<void> {
  await withBoss(parts, true, (boss) => workWindows(shareRate(parts), boss, signal));
}

async function withBoss<T>(parts: Parts, supervise: boolean, work: (boss: PgBoss) => Promise<T>): Promise<T> {
  const sql = parts.openPlainSql(connections);
  try {
    const boss = await startBoss(sql, supervise, tellingOnce(parts));
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
function tellingOnce({ log, redact }: Parts): (error: Error) => void {
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
