import { randomUUID } from 'node:crypto';
import type { PgBoss } from 'pg-boss';
import type { RunStats } from '../job/run/run-stats.ts';
import type { WindowTask } from '../job/windows/sync-window.ts';
import type { Day } from '../model/day.ts';
import type { Failure } from '../model/errors.ts';
import { schema, windowsQueue } from './boss.ts';

/** A window to sync, and its run. It holds no secrets. */
export type WindowJob = { readonly run: number; readonly runDate: Day; readonly task: WindowTask };

/** The counts of a worker, and the failure of the window, if there is one. */
export type JobOutput = {
  readonly failure: Pick<Failure, 'code' | 'subject' | 'detail' | 'advice' | 'status' | 'sign'> | null;
  readonly counts: Pick<RunStats, 'windows' | 'rows' | 'rejects'>;
};

/** An ended job. The state is null if somebody deleted the job. */
export type EndedJob = {
  readonly id: string;
  readonly state: 'completed' | 'cancelled' | 'failed' | null;
  readonly output: unknown;
};

/** The id of a window's job; null if another run's job for it has just ended. `own` says that this run inserted it. */
export type Enqueued = { readonly id: string | null; readonly own: boolean };

/** Inserts the jobs, in order. If a window is in the queue already, both runs share its job. */
export async function enqueue(boss: PgBoss, jobs: readonly WindowJob[]): Promise<Enqueued[]> {
  const made = jobs.map((data) => ({ id: randomUUID(), singletonKey: keyOf(data), data }));
  const inserted = new Set(await boss.insert(windowsQueue, made, { returnId: true }));
  const refused = made.filter(({ id }) => !inserted.has(id)).map(({ singletonKey }) => singletonKey);
  const others = await findOpen(boss, refused);
  return made.map(({ id, singletonKey }) => {
    const own = inserted.has(id);
    return { id: own ? id : (others.get(singletonKey) ?? null), own };
  });
}

const keyOf = ({ task }: WindowJob) => `${task.account.id} ${task.day}`;

// pg-boss finds jobs one by one; these statements find thousands at once.

async function findOpen(boss: PgBoss, keys: readonly string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const { rows } = await boss.getDb().executeSql(
    `select singleton_key, id from ${schema}.job
     where name = $1 and coalesce(singleton_key, '') = any($2) and state <= 'active' and policy = 'exclusive'`,
    [windowsQueue, keys],
  );
  return new Map(rows.map((row) => [row.singleton_key, row.id]));
}

export async function findEnded(boss: PgBoss, ids: readonly string[]): Promise<EndedJob[]> {
  const { rows } = await boss.getDb().executeSql(
    `select requested.id, j.state, j.output
     from unnest($2::uuid[]) as requested (id)
     left join ${schema}.job j on j.name = $1 and j.id = requested.id
     where j.id is null or j.state > 'active'`,
    [windowsQueue, ids],
  );
  return rows;
}

export async function isAnyWorkerActive(boss: PgBoss): Promise<boolean> {
  const { rows } = await boss.getDb().executeSql(
    `select exists (select from ${schema}.job
       where name = $1 and state = 'active' and heartbeat_on > now() - heartbeat_seconds * interval '1 second') as works`,
    [windowsQueue],
  );
  return rows[0].works;
}
