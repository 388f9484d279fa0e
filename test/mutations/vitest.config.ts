import { defineConfig } from 'vitest/config';
import { notByThese, type Part } from './parts.ts';
import { projects } from './without-properties.ts';

const { project, tests }: Part = JSON.parse(process.env.MUTATED_PART!);

export default defineConfig({
  test: {
    ...projects.find(({ name }) => name === project),
    // Replaces Stryker's `testFiles`: with those, it never activates mutants in code that runs while a module loads.
    include: [...tests],
    exclude: notByThese,
    // Long enough for a busy machine; Stryker ends tests that hang.
    testTimeout: 60_000,
    // Without isolation, Stryker would see only the coverage of the first file.
    isolate: true,
  },
});
