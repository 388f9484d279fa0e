/** What is mutated together, by which tests its mutants have to be killed, and how many of a hundred at least. */
export type Part = {
  readonly name: string;
  readonly mutate: readonly string[];
  readonly project: 'unit' | 'integration';
  readonly tests: readonly string[];
  readonly minScore: number;
};

/**
 * Not by the properties of `*-always.test.ts`: what only a random input notices, a change that breaks it may get past
 * today. Nor by what needs a process or a browser for each mutant.
 */
export const notByThese = [
  '**/*-always.test.ts',
  '**/*.integration.test.ts',
  '**/*.slow.test.ts',
  '**/browser.test.ts',
];

/** Units kill what they can; the outbox is nothing but SQL, so its tests need a Postgres. */
export const parts: readonly Part[] = [
  unit('planning', 90),
  unit('service', 80),
  unit('config', 80),
  unit('mail', 80),
  unit('digest', 80),
  {
    name: 'outbox',
    mutate: ['src/warehouse/outbox/*.ts'],
    project: 'integration',
    tests: ['test/warehouse/outbox/*.test.ts'],
    minScore: 80,
  },
];

function unit(folder: string, minScore: number): Part {
  return {
    name: folder,
    mutate: [`src/${folder}/**/*.ts`],
    project: 'unit',
    tests: [`test/${folder}/**/*.test.ts`],
    minScore,
  };
}
