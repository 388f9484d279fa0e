import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet, startCallsheet } from '../support/callsheet.ts';
import { type Contents, readContents, readDays } from '../support/contents.ts';
import { type Commit, startPostgresProxy } from '../support/postgres-proxy.ts';
import type { World } from '../support/world.ts';
import { expectDelivered, sendingNow } from './deliveries.ts';
import type { KillPoint } from './kill-points.ts';
import { command, openScene, type Scene } from './scene.ts';

type Place = Pick<World, 'environment' | 'query'>;

/** What a command sends to the database when nothing disturbs it. */
type Traffic = {
  readonly commits: readonly Commit[];
  /** How many requests it sends. */
  readonly requests: number;
};

/** What a run does that nobody disturbs, and what it leaves. */
export type Undisturbed = Traffic & { readonly contents: Contents };

/** Does the command, undisturbed. */
export async function observe(args: readonly string[], environment: Environment): Promise<Traffic> {
  const commits: Commit[] = [];
  let requests = 0;
  const proxy = await startPostgresProxy(environment.DATABASE_URL!, {
    beforeCommit: (commit) => void commits.push(commit),
    requested: () => void requests++,
  });
  expect(await callsheet(args, { ...environment, DATABASE_URL: proxy.url })).toMatchObject({ code: 0 });
  await proxy.close();
  return { commits, requests };
}

export async function runUndisturbed(
  settings: Environment,
  args: readonly string[] = command,
): Promise<Undisturbed> {
  await using scene = await openScene();
  const traffic = await observe(args, { ...scene.environment, ...settings });
  expect(await disagreements(scene)).toEqual([]);
  return { ...traffic, contents: await readContents(scene, args[0] === 'run') };
}

/** Kills one run after the other there, checks what each left, and lets an undisturbed run complete it. */
export async function killAndHeal(
  killPoints: readonly KillPoint[],
  settings: Environment,
  undisturbed: Undisturbed,
): Promise<void> {
  await using scene = await openScene();
  const environment = { ...scene.environment, ...settings };
  for (const killPoint of killPoints) {
    await killAt(killPoint, command, environment);
    await expectNothingHalf(scene, undisturbed);
    await lockFreed(scene);
  }
  const cutOff = await sendingNow(scene);
  const quiet = await callsheet(command, environment);
  expect(quiet).toMatchObject({ code: cutOff.length > 0 ? 75 : 0, stdout: '' });
  expect(await disagreements(scene)).toEqual([]);
  expect(await readContents(scene)).toEqual(undisturbed.contents);
  await expectDelivered(scene, cutOff);
}

/** Each day is there as a whole, as in the warehouse of a command never killed, or not at all. */
export async function expectNothingHalf(scene: Place, { contents }: Undisturbed): Promise<void> {
  expect(await disagreements(scene, 0)).toEqual([]);
  for (const [day, rows] of await readDays(scene)) expect(rows, day).toEqual(contents.days.get(day));
}

/** Waits until the server has freed the lock of the run that died. */
export async function lockFreed(scene: Pick<Scene, 'query'>): Promise<void> {
  await scene.query('begin; lock table etl.run_lock in exclusive mode; commit');
}

/** Starts the command, and kills it there. */
export async function killAt(
  killPoint: KillPoint,
  args: readonly string[],
  environment: Environment,
): Promise<void> {
  let requests = 0;
  const proxy = await startPostgresProxy(environment.DATABASE_URL!, {
    beforeCommit: ({ number }) => ('before' in killPoint && killPoint.before === number ? kill() : undefined),
    afterCommit: ({ number }) => ('after' in killPoint && killPoint.after === number ? kill() : undefined),
    requested() {
      if ('request' in killPoint && killPoint.request === ++requests) void delay(killPoint.ms).then(kill);
    },
  });
  const child = startCallsheet(args, { ...environment, DATABASE_URL: proxy.url });
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
