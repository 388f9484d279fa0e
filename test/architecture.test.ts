import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The steps of one section of ARCHITECTURE.md: a function, and the file that it is in. */
function stepsOf(heading: string): { readonly name: string; readonly file: string }[] {
  const section = read('ARCHITECTURE.md').split(`## ${heading}\n`)[1]!.split('\n## ')[0]!;
  return [...section.matchAll(/^\d+\. \[`(\w+)`\]\(([^)]+)\)/gm)].map(([, name, file]) => ({
    name: name!,
    file: file!,
  }));
}

const importsOf = (file: string) =>
  [...read(file).matchAll(/ from '(\.[^']+)';$/gm)].map((match) => path.join(path.dirname(file), match[1]!));

describe.each(['The way of a client record', 'The way of a window'])('ARCHITECTURE.md, %s', (heading) => {
  const steps = stepsOf(heading);

  it('has steps', () => {
    expect(steps.length).toBeGreaterThan(0);
  });

  it.each(steps)('$file exports $name', ({ name, file }) => {
    expect(read(file)).toMatch(new RegExp(`^export (async )?(function\\*?|const) ${name}\\b`, 'm'));
  });

  it('reaches each file by an import of a file before it', () => {
    const unreached = steps.filter(
      ({ file }, index) =>
        index > 0 && !steps.slice(0, index).some((step) => importsOf(step.file).includes(file)),
    );
    expect(unreached).toEqual([]);
  });
});

it('the tree of ARCHITECTURE.md has every folder of src', () => {
  const tree = /^src\/\n(?: +.*\n)+/m.exec(read('ARCHITECTURE.md'))![0];
  const named = [...tree.matchAll(/^ {2}([\w-]+)\/ /gm)].map(([, folder]) => folder!);
  const folders = globSync('src/*/', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  expect(named.sort()).toEqual(folders.sort());
});
