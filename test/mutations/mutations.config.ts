import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import config from '../../vitest.config.ts';

const projects = config.test!.projects as readonly TestProjectInlineConfiguration[];

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

/** The projects of the tests, with few rounds, and the same ones each time. */
export default defineConfig({
  test: {
    sequence: { sequencer: NearestFirst },
    projects: projects.map(({ test }) => ({
      test: {
        ...test,
        env: {},
        setupFiles: [...(test?.setupFiles ?? []), 'test/support/same-draws.ts'],
      },
    })),
  },
});
