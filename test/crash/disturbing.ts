import { expect } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet, type Ended, ended, startCallsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { lockFreed, type Undisturbed } from './killing.ts';
import { command, type Scene } from './scene.ts';

export const unusable =
  /^callsheet: the database can't be used(: no response)? \(.+\): check that (it|the database) runs/;

/** One after the other, so that a disturbance happens at the same point each time. */
export const settings = { CONCURRENCY: '1' };

/** Runs the command, and disturbs it while it waits for the commit of its `nth` window. */
export async function runDisturbed(
  { environment }: Pick<Scene, 'environment'>,
  nth: number,
  disturb: (proxy: PostgresProxy) => Promise<unknown>,
): Promise<Ended> {
  let windows = 0;
  let disturbance: Promise<unknown> | undefined;
  const proxy = await startPostgresProxy(environment.DATABASE_URL!, {
    async beforeCommit({ statements }) {
      if (!statements.some((text) => text.includes('account_days')) || ++windows !== nth) return;
      disturbance = disturb(proxy);
      await disturbance;
    },
  });
  const ending = await bounded({ ...environment, ...settings, DATABASE_URL: proxy.url });
  expect(disturbance, `it was disturbed: ${ending.stderr}`).toBeDefined();
  await disturbance;
  await proxy.close();
  return ending;
}

/** Runs the command; one that hangs is killed, and ends with no code. */
export async function bounded(environment: Environment): Promise<Ended> {
  const child = startCallsheet(command, environment);
  const hung = setTimeout(() => child.kill('SIGKILL'), 300_000);
  const ending = await ended(child);
  clearTimeout(hung);
  return ending;
}

/** What a failure of the database ends with: one line for people beside the log, no stack, and a code to retry by. */
export function expectReported({ code, stdout, stderr }: Ended, line: RegExp): void {
  const reported = stderr.split('\n').filter((text) => text !== '' && !text.startsWith('{'));
  expect({ reported, stdout }).toEqual({ reported: [expect.stringMatching(line)], stdout: '' });
  expect(stderr).not.toMatch(/^\s+at |\\n\s+at /m);
  expect([69, 75]).toContain(code);
}

/** That nothing is half loaded, and that one quiet run makes it what it is where nothing happened. */
export async function expectHealed(
  scene: Pick<Scene, 'environment' | 'query'>,
  undisturbed: Undisturbed,
): Promise<void> {
  expect(await disagreements(scene)).toEqual([]);
  await lockFreed(scene);
  expect(await callsheet(command, { ...scene.environment, ...settings })).toMatchObject({ code: 0 });
  expect(await disagreements(scene)).toEqual([]);
  expect(await readContents(scene)).toEqual(undisturbed.contents);
}
