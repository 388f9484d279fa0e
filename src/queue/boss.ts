import { PgBoss, type Queue } from 'pg-boss';
import { Failure } from '../model/errors.ts';
import { pause } from '../support/clock.ts';
import { asTyped } from '../support/commands.ts';
import type { PlainSql } from '../warehouse/db/plain-sql.ts';

/** Not pg-boss' default: another program may use pg-boss in the same database. */
export const schema = 'etl_queue';
export const windowsQueue = 'windows';
const deadQueue = 'windows-dead';

const hour = 3_600;

/** At most one job for each window, waiting or active. */
const windows: Omit<Queue, 'name'> = {
  policy: 'exclusive',
  deadLetter: deadQueue,
  // A worker without a heartbeat counts as killed: another one attempts its window.
  heartbeatSeconds: 15,
  expireInSeconds: hour,
  retryLimit: 5,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 30,
  // A job still waiting after an hour belongs to a run that is over. Results are read within seconds.
  retentionSeconds: hour,
  deleteAfterSeconds: 60,
};

const dead: Omit<Queue, 'name'> = { retentionSeconds: 31 * 24 * hour };

/** Workers look for killed ones, and delete ended jobs, at these intervals. */
const supervision = {
  superviseIntervalSeconds: 5,
  monitorIntervalSeconds: 5,
  maintenanceIntervalSeconds: 15,
};

/**
 * Connects to the queue. Throws a Failure if its schema is missing or of another version.
 *
 * @param supervise hands the jobs of killed workers to others, and deletes ended jobs
 */
export async function startBoss(
  sql: PlainSql,
  supervise: boolean,
  onError: (error: Error) => void,
): Promise<PgBoss> {
  const boss = new PgBoss({ db: sql, schema, migrate: false, schedule: false, supervise, ...supervision });
  boss.on('error', onError);
  try {
    await boss.start();
    if ((await boss.getQueue(windowsQueue)) === null) throw notSetUp();
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false });
    throw /not installed|requires migrations/.test((error as Error).message) ? notSetUp() : error;
  }
}

function notSetUp(): Failure {
  return new Failure('SCHEMA_TOO_OLD', `the queue of this version isn't set up (schema ${schema})`, {
    advice: `run: ${asTyped('migrate', '--queue')}`,
  });
}

/** Creates the schema of the queue or migrates it to this version. Concurrent calls wait for each other. */
export async function installQueue(sql: PlainSql): Promise<void> {
  const boss = new PgBoss({ db: sql, schema, migrate: true, schedule: false, supervise: false });
  boss.on('error', () => {});
  await boss.start();
  try {
    for (const [name, options] of [[deadQueue, dead] as const, [windowsQueue, windows] as const]) {
      const { policy: _, ...changeable } = options;
      await boss.createQueue(name, options);
      await boss.updateQueue(name, changeable);
    }
    // pg-boss builds the indexes of a newer version after its tables, in the background.
    while ((await boss.getBamStatus()).some(({ status }) => unbuilt.has(status)))
      await pause(1_000, AbortSignal.timeout(hour * 1_000));
  } finally {
    await boss.stop({ graceful: false });
  }
}

const unbuilt: ReadonlySet<string> = new Set(['pending', 'in_progress']);
