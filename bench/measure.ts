import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { tokenOf } from './fixed-responses.ts';
import type { Figures } from './tables.ts';

/** Where a program works: its service, its database, and a folder of its own. */
export type Place = { readonly serviceUrl: string; readonly databaseUrl: string; readonly folder: string };

/** As the accounts file lists it; the token follows from its position. */
export type ListedAccount = {
  readonly name: string;
  readonly client?: { readonly account: string; readonly id: number };
};

const own = (file: string) => path.join(import.meta.dirname, file);

/** Callsheet's own command line as `npm start` begins it. */
export const callsheet = (...command: string[]) => [own('../src/main.ts'), ...command];

/** A program of the bench. */
export const program = (file: string, ...args: string[]) => [own(file), ...args];

/** What a program at that place finds in its environment: every setting of Callsheet's at its default. */
export async function environment(place: Place, accounts?: readonly ListedAccount[]) {
  const { PATH, HOME } = process.env;
  const settings = {
    PATH,
    HOME,
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

/** Runs a Node program to its end; one that fails is an Error with the end of its stderr. */
export async function measure(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Figures> {
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
  if (code !== 0)
    throw new Error(`${args.join(' ')} ended with ${signal ?? code}:\n${(await stderr).slice(-2_000)}`);
  // Floors print the time of their work alone.
  const work = /^\{"workMs":[\d.]+\}$/m.exec(await stdout);
  return { wallMs, ...(work && JSON.parse(work[0])), ...JSON.parse(await used) };
}
