import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestSpecification } from 'vitest/node';

/** Tests of text, not of behaviour: imports, documents, the data dictionary. */
const isOfText = (test: string) => path.dirname(test) === 'test';

/** Tests of the project `crash` that are tried: each takes as long as a hundred others. */
const maxSlow = 6;

/**
 * The tests that may notice a break of a file, in groups: its own, those that import it, those of its folder, those of
 * the files that import it, those of the folder above, the others of `npm test`, the nearest slow ones.
 */
export function nearestFirst(file: string, all: readonly TestSpecification[]): TestSpecification[][] {
  const own = mirrored(file);
  const ofImporters = importersOf(file).map(mirrored);
  const distance = (test: TestSpecification) =>
    path.relative(path.dirname(own), path.dirname(nameOf(test))).split(path.sep).length;
  const groups: readonly ((test: TestSpecification) => boolean)[] = [
    (test) => nameOf(test).startsWith(own),
    ({ moduleId }) => readFileSync(moduleId, 'utf8').includes(`/${file}'`),
    (test) => path.dirname(nameOf(test)) === path.dirname(own),
    (test) => ofImporters.some((each) => nameOf(test).startsWith(each)),
    (test) => distance(test) === 1,
    // They look at everything that anybody sees.
    (test) => nameOf(test).startsWith('test/stories/'),
    () => true,
  ];
  const grouped = (tests: readonly TestSpecification[]) => {
    const sorted = tests.toSorted((one, other) => distance(one) - distance(other));
    const byGroup = Map.groupBy(sorted, (test) => groups.findIndex((isWithin) => isWithin(test)));
    return groups.map((_, index) => byGroup.get(index) ?? []);
  };
  const behavioural = all.filter((each) => !isOfText(nameOf(each)));
  const isSlow = ({ project }: TestSpecification) => project.name === 'crash';
  const slow = grouped(behavioural.filter(isSlow)).flat().slice(0, maxSlow);
  const near = grouped(behavioural.filter((each) => !isSlow(each)));
  return [...near, ...slow.map((each) => [each])].filter((group) => group.length > 0);
}

const nameOf = ({ moduleId }: TestSpecification) => path.relative('.', moduleId);

/** The beginning of the names of a file's own tests. */
const mirrored = (file: string) =>
  file
    .replace(/^src/, 'test')
    .replace(/^migrations/, 'test/warehouse')
    .replace(/\.ts$/, '.');

function importersOf(file: string): string[] {
  return globSync('src/**/*.ts').filter((each) => {
    const imports = readFileSync(each, 'utf8').matchAll(/from '(\..+)'/g);
    return imports.some(([, imported]) => path.join(path.dirname(each), imported!) === file);
  });
}
