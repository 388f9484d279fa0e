import { defineConfig } from 'vitest/config';
import { projects } from './without-properties.ts';

export default defineConfig({ test: { projects: projects.map((test) => ({ test })) } });
