/** Files that are mutated together, and the tests that must kill the mutants. */
export type Part = {
  readonly name: string;
  readonly mutate: readonly string[];
  readonly project: 'unit' | 'integration';
  readonly tests: readonly string[];
};

/** Excluded tests: properties are disabled (`no-properties.ts`), the others need a process or a browser for each mutant. */
export const notByThese = [
  '**/*-always{,.unit}.test.ts',
  '**/*.integration.test.ts',
  '**/*.slow.test.ts',
  '**/browser.test.ts',
];

/** Each part has the tests of its folder: few enough to run for each mutant. */
export const parts: readonly Part[] = [
  {
    name: 'job',
    mutate: [
      'src/job/{windows/{due,decide,compare},digests/due,clients/walk-status,run/retries,run-scheduled}.ts',
      'src/job/alerts/{diagnose,state,sentences,account-alerts,mail-alerts,run-alerts}.ts',
    ],
    project: 'unit',
    tests: ['test/job/**/*.unit.test.ts'],
  },
  {
    name: 'outbox',
    mutate: ['src/warehouse/outbox/*.ts'],
    project: 'integration',
    tests: ['test/warehouse/outbox/*.test.ts'],
  },
  unit('config', '*', 'test/security/secret-files.test.ts'),
  {
    name: 'mail',
    mutate: ['src/mail/{folder,mailer,message,smtp-outcome}.ts'],
    project: 'unit',
    tests: ['test/mail/{folder,message,smtp-outcome}.test.ts'],
  },
  // Separate, because each mutant takes seconds: the tests wait for silent servers.
  {
    name: 'mail/smtp',
    mutate: ['src/mail/smtp.ts'],
    project: 'unit',
    tests: ['test/mail/smtp.test.ts'],
  },
  unit('service/response', '*'),
  unit('service/paging', '*'),
  unit('service/http', '*', 'test/service/*.test.ts'),
  unit('service/examine', '*'),
  unit('service', '*'),
  unit('digest/content', '*'),
  unit('digest/render', '*', 'test/digest/texts.test.ts'),
  unit('digest', '*', 'test/digest/texts.test.ts', 'test/digest/render/html-and-text.test.ts'),
];

function unit(folder: string, files: '*' | '**', ...more: readonly string[]): Part {
  return {
    name: folder,
    mutate: [`src/${folder}/${files === '**' ? '**/*' : '*'}.ts`],
    project: 'unit',
    tests: [`test/${folder}/${files === '**' ? '**/*' : '*'}.test.ts`, ...more],
  };
}
