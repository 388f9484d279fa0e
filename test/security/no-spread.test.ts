import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { parseSync } from '@swc/core';
import { expect, it } from 'vitest';

/** What is handed words of ours, a dozen at most. */
const takesWords = ['commandLine', 'asTyped', 'typed', 'oneOf'];

type Node = { readonly [key: string]: unknown };

/** The name of what is called, or of the method. */
function nameOf(callee: Node): string {
  const { value, property } = callee as { value?: string; property?: Node };
  return value ?? (property === undefined ? '' : nameOf(property));
}

/** Names of what is called with a spread among its arguments. */
function* spreadsIn(node: unknown): Generator<string, void> {
  if (typeof node !== 'object' || node === null) return;
  for (const child of Object.values(node)) yield* spreadsIn(child);
  const { type, callee, arguments: given } = node as Node;
  if (type !== 'CallExpression' && type !== 'NewExpression') return;
  const name = nameOf(callee as Node);
  const isSpread = ((given ?? []) as readonly Node[]).some(({ spread }) => spread !== null);
  if (isSpread && !takesWords.includes(name)) yield name;
}

const spreadsOf = (code: string) => [...spreadsIn(parseSync(code, { syntax: 'typescript' }))];

it('nothing is spread into the arguments of a call: from some 120,000 elements on, that throws', async () => {
  const files = await Array.fromAsync(glob('src/**/*.ts'));
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) =>
    spreadsOf(readFileSync(file, 'utf8')).map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

it.each(['list.push(...rows)', 'Math.max(1, ...lengths)', 'new Both(...rows)'])('%s is found', (code) =>
  expect(spreadsOf(code)).toHaveLength(1),
);
