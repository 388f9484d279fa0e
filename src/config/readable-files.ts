import { statfsSync, statSync } from 'node:fs';
import type { Environment } from './environment.ts';
import { type Settings, secretSettings } from './schema.ts';

/**
 * Warnings of files that hold a secret and that every user of this machine may read. Those in memory are a container's:
 * Kubernetes mounts secrets there with the mode 0644, and Docker with 0444. Windows has other rights than these.
 */
export function warnOfReadableFiles(settings: Settings, environment: Environment): string[] {
  if (process.platform === 'win32') return [];
  return secretFilesOf(settings, environment)
    .filter((path) => (statSync(path).mode & 0o004) !== 0 && !inMemory.has(statfsSync(path).type))
    .map((path) => {
      const what = `${path} holds a secret, and every user of this machine can read it`;
      return `${what}: chmod 600 ${path}, as the user that runs Callsheet`;
    });
}

/** `tmpfs` and `ramfs` of Linux. */
const inMemory = new Set([0x01021994, 0x858458f6]);

function secretFilesOf(settings: Settings, { ACCOUNTS_FILE: accountsFile }: Environment): string[] {
  const entries = settings.ACCOUNTS_FILE ?? [];
  const named = secretSettings.flatMap((name) => settings[`${name}_FILE`]?.path ?? []);
  const ofAccounts = entries.flatMap((entry) => entry.sidtoken_file?.path ?? []);
  const withTokens = entries.some(({ sidtoken }) => sidtoken !== undefined) ? [accountsFile!] : [];
  return [...new Set([...named, ...ofAccounts, ...withTokens])];
}
