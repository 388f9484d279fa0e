import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../src/warehouse/db/connection.ts';
import { common } from '../private-postgres/private-servers.ts';
import { createAuthority } from '../support/certificates.ts';
import { keepPostgres } from '../support/postgres-keeper.ts';
import { scratchFolder } from '../support/scratch.ts';

async function connectTo(url: string): Promise<string> {
  const pool = openPool(url, { max: 1 });
  const connected = async () => {
    (await pool.connect()).release();
    return 'connected';
  };
  return await connected()
    .catch((error: Error) => error.message)
    .finally(() => pool.end());
}

it('the password of the database goes to a server whose certificate is trusted, with its channel bound', async () => {
  using authority = createAuthority();
  const directory = await scratchFolder('callsheet-tls-');
  // Started once to find out which user it runs as: the key has to be readable by that one alone.
  const plain = await keepPostgres({ directory, ...common });
  const { uid, gid } = await stat(path.join(plain.directory, 'data'));
  await plain.stop();
  const file = path.join(directory, 'server.pem');
  const { key, cert } = authority.issue();
  await writeFile(file, Buffer.concat([key, cert]), { mode: 0o600 });
  await chown(file, uid, gid);
  await chmod(file, 0o600);
  const tls = { ssl: 'on', ssl_cert_file: file, ssl_key_file: file };
  const server = await keepPostgres({
    ...common,
    directory,
    temporary: true,
    settings: { ...common.settings, ...tls },
  });
  onTestFinished(() => server.stop());
  const outcomes = [
    'sslmode=disable',
    'sslmode=require&channel_binding=prefer',
    `sslmode=verify-full&channel_binding=prefer&sslrootcert=${authority.file}`,
    'sslmode=verify-full',
  ].map((parameters) => connectTo(`${server.url}?${parameters}`));
  expect(await Promise.all(outcomes)).toEqual([
    'connected',
    'connected',
    'connected',
    expect.stringMatching(/unable to verify|self.signed|issuer/),
  ]);
});
