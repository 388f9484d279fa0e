import type { Environment } from './environment.ts';

export const plainSettings = [
  'SERVICE_BASE_URL',
  'ACCOUNT_NAME',
  'ACCOUNTS_FILE',
  'TIME_ZONE',
  'SCHEDULE',
  'LOOKBACK_DAYS',
  'CATCH_UP_DAYS',
  'ARCHIVE_DAYS',
  'PAGE_LIMIT',
  'CONCURRENCY',
  'RATE_PER_SECOND',
  'REQUEST_TIMEOUT',
  'RETRIES',
  'WINDOW_END',
  'CLIENT_BALANCE',
  'BALANCE_FIELD',
  'OUTBOX_DIR',
  'DIGEST_FROM',
  'DIGEST_REPLY_TO',
  'DIGEST_TO',
  'DIGESTS_FILE',
  'DIGEST_CATCH_UP',
  'DIGEST_MAX_MB',
  'ALERT_TO',
  'HTTP_HOST',
  'HTTP_PORT',
  'HTTP_NAMES',
  'HEALTHCHECK_URL',
  'LOG_LEVEL',
  'LOG_FORMAT',
] as const;

export const secretSettings = [
  'SIDTOKEN',
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  'SMTP_URL',
  'HTTP_TOKEN',
] as const;

export type PlainName = (typeof plainSettings)[number];
export type SecretName = (typeof secretSettings)[number];

const known: readonly string[] = [
  ...plainSettings,
  ...secretSettings,
  ...secretSettings.map((name) => `${name}_FILE`),
];

/**
 * Lines about variables that look as if they were meant for us, and do nothing.
 *
 * @param used variables that the settings name
 */
export function warnOfNames(environment: Environment, used: readonly string[]): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (!environment[name] || used.includes(name)) return [];
    if (known.includes(name) || name.length < 6) return [];
    const meant = known.find((each) => editDistance(name, each) <= (each.length < 8 ? 1 : 2));
    return meant === undefined ? [] : [`${name} is no setting of Callsheet: did you mean ${meant}?`];
  });
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other. */
export function editDistance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      let least = Math.min(
        rows[row - 1]![column]! + 1,
        line[column - 1]! + 1,
        rows[row - 1]![column - 1]! + (same ? 0 : 1),
      );
      const swapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (swapped && column > 1) least = Math.min(least, rows[row - 2]![column - 2]! + 1);
      line.push(least);
    }
    rows.push(line);
  }
  return rows[one.length]![other.length]!;
}
