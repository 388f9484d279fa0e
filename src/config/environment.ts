import http from 'node:http';
import { parseEnv } from 'node:util';

/** Variables by name. Empty ones count as not set: compose files leave them empty. */
export type Environment = { readonly [name: string]: string | undefined };

/** Reads the variables of this process. This is the only file that reads or writes `process.env`. */
export function readEnvironment(): Environment {
  const variables = Object.entries(process.env).map(([name, value = '']) => [name, unquoted(value)]);
  return Object.freeze(Object.fromEntries(variables));
}

/** Removes quotes and white space around a value: `docker run --env-file` keeps them. */
export function unquoted(value: string): string {
  const trimmed = value.trim();
  return /^'[^']*'$|^"[^"]*"$/.test(trimmed) ? trimmed.slice(1, -1).trim() : trimmed;
}

/** A line of `.env`: `RETRIES=4`, `SCHEDULE='30 6 * * *'`. */
export function settingLine(name: string, value: string): string {
  return /^[\p{L}\p{N}_@%+=:,./?-]*$/u.test(value) ? `${name}=${value}` : `${name}='${value}'`;
}

/** Set by the launcher: how people type its commands. In the image it is `callsheet`. */
export const launcherVariable = 'CALLSHEET_COMMAND';

/** The path of the `.env` that was read. The script of deploy/systemd sets it, and names one that is to be read. */
export const dotenvVariable = 'CALLSHEET_DOTENV';

/** Sets the variables of a `.env` that aren't set yet. */
export function useDotenv(file: string, text: string): void {
  const set = parseEnv(text);
  for (const [name, value] of Object.entries(set)) process.env[name] ??= value;
  process.env[dotenvVariable] = file;
  // Node reads this variable at its start, before there is a `.env`.
  if (set.NODE_USE_ENV_PROXY === '1') http.setGlobalProxyFromEnv();
}

/** Returns whether a file begins as one that Windows saved as Unicode. */
export const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/** Makes UTC the local time of this process, whatever zone the machine is in. */
export function useUtc(): void {
  process.env.TZ = 'UTC';
}
