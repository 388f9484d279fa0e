import { defineConfig } from 'vitest/config';
import { notByThese, type Part } from './parts.ts';
import { projects } from './without-properties.ts';

const { project, tests }: Part = JSON.parse(process.env.MUTATED_PART!);

export default defineConfig({
  test: {
    ...projects.find(({ name }) => name === project),
    // Not by Stryker's `testFiles`: with those it never activates what is mutated while a module is loaded.
    include: [...tests],
    exclude: notByThese,
    // However busy the machine: what hangs is ended by Stryker.
    testTimeout: 60_000,
    // Each file by itself, or Stryker would see the coverage of the first one alone.
    isolate: true,
  },
});
