import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestSpecification } from 'vitest/node';

/** Tests of text, not of behaviour: imports, documents, the data dictionary. */
const isOfText = (test: string) => path.dirname(test) === 'test';

/** Tests of the project `crash` that are tried: each takes as long as a hundred others. */
const maxSlow = 6;

/**
 * The tests that may notice a break of a file, in groups: its own and those that import it, slow ones, too; the others of
 * `npm test`, the nearest first; the nearest slow ones.
 */
export function nearestFirst(file: string, all: readonly TestSpecification[]): TestSpecification[][] {
  const own = file.replace(/^src/, 'test').replace(/\.ts$/, '.');
  const distance = ({ moduleId }: TestSpecification) => {
    const name = path.relative('.', moduleId);
    if (name.startsWith(own) || readFileSync(moduleId, 'utf8').includes(`/${file}'`)) return 0;
    // They look at everything that anybody sees.
    if (name.startsWith('test/stories/')) return 1.5;
    return path.relative(path.dirname(own), path.dirname(name)).split(path.sep).length;
  };
  const sorted = all
    .filter(({ moduleId }) => !isOfText(path.relative('.', moduleId)))
    .map((test) => ({ test, away: distance(test), isSlow: test.project.name === 'crash' }))
    .sort((one, other) => one.away - other.away);
  const those = (isWanted: (each: (typeof sorted)[number]) => boolean) =>
    sorted.filter(isWanted).map(({ test }) => test);
  return [
    those(({ away }) => away === 0),
    those(({ away, isSlow }) => away > 0 && !isSlow),
    ...those(({ away, isSlow }) => away > 0 && isSlow)
      .slice(0, maxSlow)
      .map((test) => [test]),
  ].filter((group) => group.length > 0);
}
