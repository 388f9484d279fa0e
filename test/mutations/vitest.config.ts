import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import config from '../../vitest.config.ts';

const wanted = ['unit', 'integration'];
const projects = config.test!.projects as readonly TestProjectInlineConfiguration[];

/** Those of vitest.config.ts; each file by itself, or Stryker would see the coverage of the first file alone. */
const isolated = projects
  .filter(({ test }) => wanted.includes(String(test?.name)))
  .map(({ test }) => ({ test: { ...test, isolate: true } }));

export default defineConfig({ test: { projects: isolated } });
