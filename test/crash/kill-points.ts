import fc from 'fast-check';
import { expect } from 'vitest';
import type { Commit } from '../support/postgres-proxy.ts';

/** When to kill: around a commit, or so long after a request. */
export type KillPoint =
  | { readonly before: number }
  | { readonly after: number }
  | { readonly request: number; readonly ms: number };

type Titled = { readonly title: string; readonly killPoint: KillPoint };
type Named = { readonly number: number; readonly tables: string };

/** Whether TEST_KILLS=all kills around every commit, and at five times as many random times. */
export const all = process.env.TEST_KILLS === 'all';
export const seed = Number(process.env.TEST_KILLS_SEED ?? 20261121);

/** Before the first and after the last commit of each kind; around all with TEST_KILLS=all. */
export function killPointsAround(commits: readonly Commit[]): Titled[] {
  return kindsOf(commits).flatMap((kind) =>
    all ? kind.flatMap((commit) => [before(commit), after(commit)]) : [before(kind[0]!), after(kind.at(-1)!)],
  );
}

/** Before the middle one of the commits of each kind; before all but the first and the last with TEST_KILLS=all. */
export function killPointsWithin(commits: readonly Commit[]): Titled[] {
  const killPoints = kindsOf(commits)
    .filter(({ length }) => length > 2)
    .flatMap((kind) => (all ? kind.slice(1, -1) : [kind[Math.floor(kind.length / 2)]!]).map(before));
  expect(killPoints).not.toEqual([]);
  return killPoints;
}

/** Commits that write to the same tables. */
function kindsOf(commits: readonly Commit[]): Named[][] {
  const named = commits.map(({ number, statements }) => ({ number, tables: tablesOf(statements) }));
  return [...Map.groupBy(named, (commit) => commit.tables).values()];
}

const before = ({ number, tables }: Named): Titled => {
  return { title: `before commit ${number}, to ${tables}`, killPoint: { before: number } };
};
const after = ({ number, tables }: Named): Titled => {
  return { title: `after commit ${number}, to ${tables}`, killPoint: { after: number } };
};

/** A statement without the quotes that some builders of SQL put around names. */
export const unquoted = (statement: string): string => statement.replaceAll('"', '');

/** The tables that a commit writes to, for the titles. */
function tablesOf(statements: readonly string[]): string {
  const names = statements.flatMap((text) => /\b(etl|warehouse)\.\w+/.exec(unquoted(text))?.[0] ?? []);
  return [...new Set(names)].join(', ');
}

/**
 * Kill points of a command that sends so many requests to the database; five times as many with TEST_KILLS=all.
 * They are counted in requests, and then in time: on the clock alone, a busy machine would have most of them while Node
 * starts. The last requests are left out, for the command may end before it can be killed.
 */
export function randomKillPoints(requests: number, kills: number) {
  const killPoints = fc.record({
    request: fc.integer({ min: 1, max: requests - 3 }),
    ms: fc.integer({ min: 0, max: 4 }),
  });
  return fc.sample(killPoints, { seed, numRuns: all ? 5 * kills : kills });
}
