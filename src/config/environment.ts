import http from 'node:http';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { Failure } from '../model/errors.ts';
import { notUtf8, readFileOfSettings } from './files-read.ts';

/** Variables by name. Empty ones count as not set: compose files leave them empty. */
export type Environment = { readonly [name: string]: string | undefined };

/** Reads variables, by default those of this process. This is the only file that reads or writes `process.env`. */
export function readEnvironment(variables: Environment = process.env): Environment {
  const read = Object.entries(variables).map(([name, value = '']) => [name, unquoted(value)]);
  return Object.freeze(Object.fromEntries(read));
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

/** The variables of the process itself. They come before those of `.env`. */
const own: Environment = { ...process.env };
let isDotenvRead = false;
let restoreProxy = (): void => {};

/** Returns whether a variable of the process itself would come before one of `.env`. */
export const isOwn = (name: string): boolean => own[name] !== undefined;

/**
 * Returns the variables of the process with those of `.env`, if there is one. Throws a Failure if it can't be read, or if somebody
 * named it and it is missing.
 */
export function readDotenv(): Environment {
  isDotenvRead = true;
  const named = own[dotenvVariable];
  const file = named ?? '.env';
  try {
    // Node's own --env-file-if-exists reads none with a byte order mark.
    const set = parseEnv(readFileOfSettings(file));
    return { ...set, ...own, [dotenvVariable]: path.resolve(file) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && named === undefined) return own;
    if (code === notUtf8) throw unusable(`${file} isn't saved as UTF-8: save it so`);
    throw unusable(`${file} can't be read (${code}): check what it is, and the rights to it`);
  }
}

const unusable = (detail: string) => new Failure('INVALID_CONFIGURATION', detail);

/** The same as they are now. Without a `.env` at the start, as in a container, there is none later. */
export const readVariables = (): Environment => (isDotenvRead ? readDotenv() : own);

/** Makes them the variables of this process, in the place of those of an earlier `.env`. */
export function useVariables(variables: Environment): void {
  for (const name of Object.keys(process.env)) if (variables[name] === undefined) delete process.env[name];
  Object.assign(process.env, variables);
  // Node reads this variable at its start, before there is a `.env`.
  restoreProxy();
  const isProxied = !isOwn('NODE_USE_ENV_PROXY') && variables.NODE_USE_ENV_PROXY === '1';
  restoreProxy = isProxied ? http.setGlobalProxyFromEnv() : () => {};
}

/** Makes UTC the local time of this process, whatever zone the machine is in. */
export function useUtc(): void {
  process.env.TZ = 'UTC';
}
