import { beforeAll, expect, it } from 'vitest';
import { type Compared, compareStory } from './compare-story.ts';
import { type KnownDifference, knownDifferences } from './known-differences.ts';
import { lives } from './lives.ts';

const compared = new Map<string, Compared>();
beforeAll(async () => {
  await Promise.all(
    Object.entries(lives).map(async ([name, life]) => {
      compared.set(name, await compareStory(life));
    }),
  );
});

it.each(Object.keys(lives))('%s: tables and mails are what the truth lets expect', (name) => {
  expect(compared.get(name)!.differences).toEqual([]);
});

it.each(['subject', 'tiles'])('the stories compare %s', (kind) => {
  const lines = [...compared.values()].map((each) => each.lines.get(kind) ?? 0);
  expect(Math.max(...lines)).toBeGreaterThan(0);
});

it.each(Object.keys(knownDifferences) as KnownDifference[])('the product still differs: %s', (known) => {
  const names = [...compared].filter(([, each]) => each.known.has(known)).map(([name]) => name);
  expect(names).not.toEqual([]);
});
