import { describe, it } from 'vitest';
import { killAndHeal, type Moment, runUndisturbed } from './killing.ts';

const all = process.env.TEST_KILLS === 'all';
const settings = { CONCURRENCY: '1' };
const undisturbed = await runUndisturbed(settings);

const commits = undisturbed.commits.map(({ number, statements }) => ({
  number,
  tables: tablesOf(statements),
}));
type Told = { readonly title: string; readonly moment: Moment };

const before = ({ number, tables }: (typeof commits)[number]): Told => {
  return { title: `before commit ${number}, to ${tables}`, moment: { before: number } };
};
const after = ({ number, tables }: (typeof commits)[number]): Told => {
  return { title: `after commit ${number}, to ${tables}`, moment: { after: number } };
};

/** Of each kind of commit before the first, after the last and around one between; all with TEST_KILLS=all. */
const moments = [...Map.groupBy(commits, (commit) => commit.tables).values()].flatMap((kind) => {
  if (all) return kind.flatMap((commit) => [before(commit), after(commit)]);
  const [first, middle, last] = [kind[0]!, kind[kind.length >> 1]!, kind.at(-1)!];
  return [before(first), ...(kind.length > 2 ? [after(middle)] : []), after(last)];
});

describe.concurrent(`a run of ${commits.length} commits, one after the other`, () => {
  it.each(moments)('that is killed $title', async ({ moment }) => {
    await killAndHeal(moment, settings, undisturbed);
  });
});

/** The tables that a commit writes to, for the titles. */
function tablesOf(statements: readonly string[]): string {
  const names = statements.flatMap((text) => /\b(etl|warehouse)"?\."?\w+/.exec(text)?.[0] ?? []);
  return [...new Set(names.map((name) => name.replaceAll('"', '')))].join(', ');
}
