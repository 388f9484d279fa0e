import type { TestProjectInlineConfiguration } from 'vitest/config';
import config from '../../vitest.config.ts';

/** The projects of the tests, with properties disabled: see no-properties.ts. */
export const projects = (config.test!.projects as readonly TestProjectInlineConfiguration[]).map(
  ({ test }) => ({
    ...test,
    setupFiles: [...(test?.setupFiles ?? []), 'test/mutations/no-properties.ts'],
  }),
);
