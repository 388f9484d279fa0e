import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import config from '../../vitest.config.ts';
import { notByThese, type Part } from './parts.ts';

const { project, tests }: Part = JSON.parse(process.env.MUTATED_PART!);
const projects = config.test!.projects as readonly TestProjectInlineConfiguration[];
const { test } = projects.find((each) => each.test?.name === project)!;

export default defineConfig({
  test: {
    ...test,
    setupFiles: [...(test?.setupFiles ?? []), 'test/mutations/no-properties.ts'],
    // Not by Stryker's `testFiles`: with those it never activates what is mutated while a module is loaded.
    include: [...tests],
    exclude: notByThese,
    // However busy the machine: what hangs is ended by Stryker.
    testTimeout: 60_000,
    // Each file by itself, or Stryker would see the coverage of the first one alone.
    isolate: true,
  },
});
