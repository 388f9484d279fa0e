import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Program } from './measure.ts';
import { tokenOf } from './stand-in.ts';

/** Where a program works: its service, its database, and a folder of its own. */
export type Place = { readonly serviceUrl: string; readonly databaseUrl: string; readonly folder: string };

const main = path.resolve(import.meta.dirname, '../src/main.ts');

/** Callsheet's own command line as `npm start` begins it, with every setting at its standard. */
export function callsheet(place: Place, command: readonly string[], profile: string | null): Program {
  return {
    args: [...(profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]), main, ...command],
    environment: {
      SERVICE_BASE_URL: place.serviceUrl,
      SIDTOKEN: tokenOf(1),
      DATABASE_URL: place.databaseUrl,
      OUTBOX_DIR: path.join(place.folder, 'outbox'),
      DIGEST_TO: 'ana@example.com',
    },
  };
}

export type ListedAccount = {
  readonly name: string;
  readonly client?: { readonly account: string; readonly id: number };
};

/** The same for several accounts, the first of which has the first token, and so on. */
export async function callsheetOf(
  accounts: readonly ListedAccount[],
  ...[place, command, profile]: Parameters<typeof callsheet>
): Promise<Program> {
  const { args, environment } = callsheet(place, command, profile);
  const { SIDTOKEN: _, ...rest } = environment;
  const file = path.join(place.folder, 'accounts.json');
  await mkdir(place.folder, { recursive: true });
  await writeFile(
    file,
    JSON.stringify(accounts.map((account, index) => ({ ...account, sidtoken: tokenOf(index + 1) }))),
  );
  return { args, environment: { ...rest, ACCOUNTS_FILE: file } };
}

/** A program of the bench that works against the same service and database. */
export function ownProgram(place: Place, file: string, args: readonly string[]): Program {
  return {
    args: [path.join(import.meta.dirname, file), ...args],
    environment: {
      SERVICE_BASE_URL: place.serviceUrl,
      SIDTOKEN: tokenOf(1),
      DATABASE_URL: place.databaseUrl,
    },
  };
}
