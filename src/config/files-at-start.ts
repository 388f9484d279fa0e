import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { dotenvVariable, type Environment } from './environment.ts';
import { resultOrNull } from './formats.ts';
import { secretSettings } from './schema.ts';

export type ChangedFile = { readonly path: string; readonly changedAt: Temporal.Instant };

/** A new token or password in these is used without a restart. */
const readAgain: readonly string[] = ['SIDTOKEN_FILE', 'DATABASE_URL_FILE'];

const settingsRead: readonly string[] = [
  dotenvVariable,
  'ACCOUNTS_FILE',
  'DIGESTS_FILE',
  'NODE_EXTRA_CA_CERTS',
  ...secretSettings.map((name) => `${name}_FILE`).filter((name) => !readAgain.includes(name)),
];

/**
 * Remembers the contents of `.env` and of the files that are read only at start. Returns a function that finds those that have other
 * contents now, and when they were changed. One that can't be read is none of them: a mount may be away for a moment.
 */
export function rememberFiles(environment: Environment): () => ChangedFile[] {
  const paths = settingsRead.flatMap((name) => environment[name] || []).map((each) => path.resolve(each));
  const atStart = paths.map((each) => [each, fingerprint(each)] as const);
  return () =>
    atStart.flatMap(([each, before]) => {
      const now = fingerprint(each);
      if (before === null || now === null || now === before) return [];
      const changedAt = resultOrNull(() =>
        Temporal.Instant.fromEpochMilliseconds(Math.floor(statSync(each).mtimeMs)),
      );
      return changedAt === null ? [] : { path: each, changedAt };
    });
}

const fingerprint = (file: string): string | null => resultOrNull(() => hash('sha256', readFileSync(file)));
