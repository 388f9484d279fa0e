import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import { ConfigurationFailure, type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { createRedactor } from '../../src/support/redaction.ts';

/** The minimal settings; a token that no test expects elsewhere. */
export const minimal = {
  SERVICE_BASE_URL: 'https://service.example.com/api',
  SIDTOKEN: 'S3cr3t+T0k3n/7',
} as const;

/** The settings of `environment` beside the minimal ones. */
export function load(environment: Environment, needs = { service: true }): LoadedConfig {
  return loadConfig({ ...minimal, ...environment }, needs, createRedactor());
}

/** Every error of `environment` beside the minimal ones; none where it can be loaded. */
export function errorsOf(environment: Environment, needs = { service: true }): readonly string[] {
  try {
    load(environment, needs);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationFailure) return error.errors;
    throw error;
  }
}

/** The only error of `environment`. */
export function onlyErrorOf(environment: Environment): string {
  const [error, ...others] = errorsOf(environment);
  if (error === undefined || others.length > 0) throw new Error(`${others.length + 1} errors, or none`);
  return error;
}

/** Writes a file for the current test; its path. */
export function file(name: string, content: string | Buffer): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'callsheet-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const written = path.join(folder, name);
  writeFileSync(written, content, { mode: 0o600 });
  return written;
}
