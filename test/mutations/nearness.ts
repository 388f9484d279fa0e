import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestSpecification } from 'vitest/node';

/** Tests of text, not of behaviour: imports, documents, the data dictionary. */
const isOfText = (test: string) => path.dirname(test) === 'test';

/** Tests of the project `crash` that are tried: each takes as long as a hundred others. */
const maxSlow = 6;

/**
 * The tests that may notice a break of a file, in groups: its own, those that import it, those of its folder, the others of
 * `npm test`, the nearest slow ones.
 */
export function nearestFirst(file: string, all: readonly TestSpecification[]): TestSpecification[][] {
  const behavioural = all.filter((each) => !isOfText(nameOf(each)));
  const ordinary = behavioural.filter(({ project }) => project.name !== 'crash');
  const own = file.replace(/^src/, 'test').replace(/\.ts$/, '.');
  const groups: readonly ((test: TestSpecification) => boolean)[] = [
    (test) => nameOf(test).startsWith(own),
    ({ moduleId }) => readFileSync(moduleId, 'utf8').includes(`/${file}'`),
    (test) => path.dirname(nameOf(test)) === path.dirname(own),
    () => true,
  ];
  const groupOf = (test: TestSpecification) => groups.findIndex((isWithin) => isWithin(test));
  const distance = (test: TestSpecification) =>
    path.relative(path.dirname(own), path.dirname(nameOf(test))).split(path.sep).length;
  const slow = behavioural
    .filter(({ project }) => project.name === 'crash')
    .sort((one, other) => groupOf(one) - groupOf(other) || distance(one) - distance(other))
    .slice(0, maxSlow);
  const near = groups.map((_, index) =>
    ordinary.filter((test) => groupOf(test) === index).sort((one, other) => distance(one) - distance(other)),
  );
  return [...near, ...slow.map((each) => [each])].filter((group) => group.length > 0);
}

const nameOf = ({ moduleId }: TestSpecification) => path.relative('.', moduleId);
