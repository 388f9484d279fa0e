import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { tokenOf } from './fixed-responses.ts';
import type { Figures } from './tables.ts';

/** The service, the database and the folder that a program uses. */
export type Place = { readonly serviceUrl: string; readonly databaseUrl: string; readonly folder: string };

/** An entry of the accounts file; the token follows from its position. */
export type ListedAccount = {
  readonly name: string;
  readonly client?: { readonly account: string; readonly id: number };
};

const own = (file: string) => path.join(import.meta.dirname, file);

/** Programs start from compiled code, as Callsheet does in its image. */
export const compileCache = own('../node_modules/.cache/bench');

export const callsheet = (...command: string[]) => [own('../src/main.ts'), ...command];

export const program = (file: string, ...args: string[]) => [own(file), ...args];

/** The environment of a program; Callsheet's other settings have their defaults. */
export async function environment(place: Place, accounts?: readonly ListedAccount[]) {
  const { PATH, HOME } = process.env;
  const settings = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE: compileCache,
    SERVICE_BASE_URL: place.serviceUrl,
    DATABASE_URL: place.databaseUrl,
    OUTBOX_DIR: path.join(place.folder, 'outbox'),
    DIGEST_TO: 'ana@example.com',
  };
  if (accounts === undefined) return { ...settings, SIDTOKEN: tokenOf(1) };
  const listed = accounts.map((account, index) => ({ ...account, sidtoken: tokenOf(index + 1) }));
  const file = path.join(place.folder, 'accounts.json');
  await mkdir(place.folder, { recursive: true });
  await writeFile(file, JSON.stringify(listed));
  return { ...settings, ACCOUNTS_FILE: file };
}

/** What a program took and printed, and its exit code. */
export type Ended = {
  readonly figures: Figures;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs a Node program to its end, whatever its exit code. */
export async function runProgram(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const began = performance.now();
  const child = spawn(process.execPath, ['--require', own('peak.cjs'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    cwd: own('..'),
  });
  const stdout = text(child.stdout!);
  const stderr = text(child.stderr!);
  const used = text(child.stdio[3] as Readable);
  const [code, signal] = await once(child, 'exit');
  const wallMs = performance.now() - began;
  if (signal !== null)
    throw new Error(`${args.join(' ')} ended with ${signal}:\n${(await stderr).slice(-2_000)}`);
  return {
    figures: { wallMs, ...JSON.parse(await used) },
    code,
    stdout: await stdout,
    stderr: await stderr,
  };
}

/** Runs a Node program. If it fails, throws an Error with the end of its stderr. */
export async function measure(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Figures> {
  const { figures, code, stdout, stderr } = await runProgram(args, env);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${stderr.slice(-2_000)}`);
  // A floor prints the time of its work, without the start of the process.
  const work = /^\{"workMs":[\d.]+\}$/m.exec(stdout);
  return { ...figures, ...(work && JSON.parse(work[0])) };
}
