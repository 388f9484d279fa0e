import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import { ConfigurationFailure, type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { createRedactor } from '../../src/support/redaction.ts';

/** The least that has to be set; its token is in no test's way. */
export const least = {
  SERVICE_BASE_URL: 'https://service.example.com/api',
  SIDTOKEN: 'S3cr3t+T0k3n/7',
} as const;

/** The settings of `environment` beside the least. */
export function load(environment: Environment, needs = { service: true }): LoadedConfig {
  return loadConfig({ ...least, ...environment }, needs, createRedactor());
}

/** Every fault of `environment` beside the least; none where it can be loaded. */
export function faultsOf(environment: Environment, needs = { service: true }): readonly string[] {
  try {
    load(environment, needs);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationFailure) return error.faults;
    throw error;
  }
}

/** The only fault of `environment`. */
export function faultOf(environment: Environment): string {
  const [fault, ...others] = faultsOf(environment);
  if (fault === undefined || others.length > 0) throw new Error(`${others.length + 1} faults, or none`);
  return fault;
}

/** Writes a file for the current test; its path. */
export function file(name: string, content: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'callsheet-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const written = path.join(folder, name);
  writeFileSync(written, content);
  return written;
}
