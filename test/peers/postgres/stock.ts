import { existsSync, readdirSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { searched } from '../../support/peers.ts';

/** The folder of the programs of an installed Postgres, which has LLVM and JIT on, as users' servers do. */
export async function stockPrograms(): Promise<string> {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian).map((version) => path.join(debian, version, 'bin'))
    : [];
  const found = searched
    .split(path.delimiter)
    .map((place) => path.join(place, 'pg_dump'))
    .find((file) => existsSync(file));
  const places = [...versions, path.dirname(await realpath(found!))];
  return places.find((place) =>
    ['postgres', 'initdb', 'pg_restore'].every((name) => existsSync(path.join(place, name))),
  )!;
}
