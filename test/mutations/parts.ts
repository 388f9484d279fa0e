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

/** By the tests of the same folder, which are few enough to run for each mutant. */
export const parts: readonly Part[] = [
  unit('planning', '**', 90),
  {
    name: 'outbox',
    mutate: ['src/warehouse/outbox/*.ts'],
    project: 'integration',
    tests: ['test/warehouse/outbox/*.test.ts'],
    minScore: 80,
  },
  unit('config', '*', 80, 'test/security/secret-files.test.ts'),
  {
    name: 'mail',
    mutate: ['src/mail/{folder,mailer,message,smtp-outcome}.ts'],
    project: 'unit',
    tests: ['test/mail/{folder,message,smtp-outcome}.test.ts'],
    minScore: 80,
  },
  // By itself: its tests wait for silent servers, so that each mutant takes seconds.
  {
    name: 'mail/smtp',
    mutate: ['src/mail/smtp.ts'],
    project: 'unit',
    tests: ['test/mail/smtp.test.ts'],
    minScore: 80,
  },
  unit('service/response', '*', 80),
  unit('service/paging', '*', 80),
  unit('service/http', '*', 80, 'test/service/*.test.ts'),
  // `doctor` alone reads it.
  {
    name: 'service/examine',
    mutate: ['src/service/examine/*.ts'],
    project: 'integration',
    tests: ['test/job/doctor.test.ts'],
    minScore: 80,
  },
  unit('service', '*', 80),
  unit('digest/content', '*', 80),
  // Not src/digest/words: what it has are texts.
  unit('digest/render', '*', 80, 'test/digest/content/in-full.test.ts'),
  unit('digest', '*', 80, 'test/digest/content/in-full.test.ts', 'test/digest/render/html-and-text.test.ts'),
];

function unit(folder: string, files: '*' | '**', minScore: number, ...more: readonly string[]): Part {
  return {
    name: folder,
    mutate: [`src/${folder}/${files === '**' ? '**/*' : '*'}.ts`],
    project: 'unit',
    tests: [`test/${folder}/${files === '**' ? '**/*' : '*'}.test.ts`, ...more],
    minScore,
  };
}
