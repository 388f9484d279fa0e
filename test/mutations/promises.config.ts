import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import config from '../../vitest.config.ts';

const projects = config.test!.projects as readonly TestProjectInlineConfiguration[];

/** The projects of the tests, with properties disabled: see no-properties.ts. */
export default defineConfig({
  test: {
    projects: projects.map(({ test }) => ({
      test: {
        ...test,
        setupFiles: [...(test?.setupFiles ?? []), 'test/mutations/no-properties.ts'],
      },
    })),
  },
});
