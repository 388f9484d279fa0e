import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet, startCallsheet } from '../support/callsheet.ts';
import { type Contents, readContents } from '../support/contents.ts';
import { type Commit, startPostgresProxy } from '../support/postgres-proxy.ts';
import { expectDelivered, sendingNow } from './deliveries.ts';
import { command, openScene, type Scene, type Way } from './scene.ts';

/** What a run does that nobody disturbs. */
export type Undisturbed = {
  readonly commits: readonly Commit[];
  /** How many requests it sends to the database. */
  readonly requests: number;
  readonly contents: Contents;
};

/** When to kill: around a commit, or so long after a request. */
export type Moment =
  | { readonly before: number }
  | { readonly after: number }
  | { readonly request: number; readonly ms: number };

export async function runUndisturbed(settings: Environment, by?: Way): Promise<Undisturbed> {
  const scene = await openScene(by);
  const commits: Commit[] = [];
  let requests = 0;
  const proxy = await startPostgresProxy(scene.environment.DATABASE_URL!, {
    beforeCommit: (commit) => void commits.push(commit),
    requested: () => void requests++,
  });
  const environment = { ...scene.environment, ...settings, DATABASE_URL: proxy.url };
  expect(await callsheet(command, environment)).toMatchObject({ code: 0 });
  expect(await disagreements(scene)).toEqual([]);
  const contents = await readContents(scene);
  await proxy.close();
  await scene.close();
  return { commits, requests, contents };
}

/** Kills a run at that moment, looks at what it left, and lets one quiet run heal it. */
export async function killAndHeal(
  moment: Moment,
  settings: Environment,
  undisturbed: Undisturbed,
  by?: Way,
): Promise<void> {
  const scene = await openScene(by);
  try {
    await killAt(moment, settings, scene);
    expect(await disagreements(scene)).toEqual([]);
    const left = await readContents(scene);
    const standing = new Set(undisturbed.contents.rows);
    const half = left.rows.filter((row) => /^(campaign|account)_days /.test(row) && !standing.has(row));
    expect(half, 'rows of days that the run never killed does not have').toEqual([]);

    await lockFreed(scene);
    const cutOff = await sendingNow(scene);
    const quiet = await callsheet(command, { ...scene.environment, ...settings });
    expect(quiet).toMatchObject({ code: cutOff.length > 0 ? 75 : 0, stdout: '' });
    expect(await disagreements(scene)).toEqual([]);
    expect(await readContents(scene)).toEqual(undisturbed.contents);
    await expectDelivered(scene, cutOff);
  } finally {
    await scene.close();
  }
}

/** Waits until the server has freed the lock of the run that died: a moment later where a pooler is between. */
export async function lockFreed(scene: Pick<Scene, 'query'>): Promise<void> {
  await scene.query(
    `select pg_advisory_xact_lock((classid::bigint << 32) | objid::bigint) from pg_locks
     where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  );
}

async function killAt(moment: Moment, settings: Environment, scene: Scene): Promise<void> {
  let requests = 0;
  const proxy = await startPostgresProxy(scene.environment.DATABASE_URL!, {
    beforeCommit: ({ number }) => ('before' in moment && moment.before === number ? kill() : undefined),
    afterCommit: ({ number }) => ('after' in moment && moment.after === number ? kill() : undefined),
    requested() {
      if ('request' in moment && moment.request === ++requests) void delay(moment.ms).then(kill);
    },
  });
  const environment = { ...scene.environment, ...settings, DATABASE_URL: proxy.url };
  const child = startCallsheet(command, environment);
  child.stdout.resume();
  child.stderr.resume();
  const ended = once(child, 'exit');
  async function kill() {
    child.kill('SIGKILL');
    await ended;
    void proxy.cut();
  }
  expect(await ended, 'it was killed, and did not end before').toEqual([null, 'SIGKILL']);
  await proxy.close();
}
