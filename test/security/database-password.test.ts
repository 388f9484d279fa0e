import { expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../src/warehouse/db/connection.ts';
import { common } from '../private-postgres/private-servers.ts';
import { createAuthority } from '../support/certificates.ts';
import { keepPostgresWithTls } from '../support/postgres-keeper.ts';
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
  const server = await keepPostgresWithTls({ ...common, directory, temporary: true }, authority.issue());
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
