/** Variables by name. Empty ones count as not set: compose files leave them so. */
export type Environment = { readonly [name: string]: string | undefined };

/** The variables of this process. This is the only file that reads or writes `process.env`. */
export function readEnvironment(): Environment {
  const variables = Object.entries(process.env).map(([name, value = '']) => [name, unquoted(value)]);
  return Object.freeze(Object.fromEntries(variables));
}

/** `docker run --env-file` hands on the quotes around a value, and white space. */
function unquoted(value: string): string {
  const trimmed = value.trim();
  return /^'[^']*'$|^"[^"]*"$/.test(trimmed) ? trimmed.slice(1, -1).trim() : trimmed;
}

/** A line of `.env`: `RETRIES=4`, `SCHEDULE='30 6 * * *'`. */
export function settingLine(name: string, value: string): string {
  return /^[\p{L}\p{N}_@%+=:,./?-]*$/u.test(value) ? `${name}=${value}` : `${name}='${value}'`;
}

/** The launcher's setting: how a command of Callsheet is typed where the launcher is. The image says `callsheet`. */
export const launcherVariable = 'CALLSHEET_COMMAND';

/** Makes UTC the local time of this process, whatever zone the machine is in. */
export function useUtc(): void {
  process.env.TZ = 'UTC';
}
