import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

// As vitest.config.ts has them, without the projects that no mutant is tried on.
const projects = config.test!.projects!.filter(
  (project) =>
    typeof project === 'object' &&
    'test' in project &&
    ['unit', 'integration'].includes(String(project.test?.name)),
);

export default defineConfig({ test: { projects } });
