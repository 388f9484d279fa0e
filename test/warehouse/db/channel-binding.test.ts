import { once } from 'node:events';
import { chown, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect as connectTcp, createServer } from 'node:net';
import path from 'node:path';
import { connect as connectTls, TLSSocket } from 'node:tls';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { requireSchema } from '../../../src/job/run/database.ts';
import { connect } from '../../../src/warehouse/db/connection.ts';
import { openWarehouse } from '../../../src/warehouse/db/database.ts';
import { warehouseFailure } from '../../../src/warehouse/failures.ts';
import { common } from '../../private-postgres/private-servers.ts';
import { createAuthority, type ServerCertificate } from '../../support/certificates.ts';
import { type KeptPostgres, keepPostgres } from '../../support/postgres-keeper.ts';
import { scratchFolder } from '../../support/scratch.ts';

/** How the server lets the role of this name in. */
const methods = ['password', 'md5', 'trust'];

let server: KeptPostgres;
let other: ServerCertificate;
beforeAll(async () => {
  using authority = createAuthority();
  const directory = await scratchFolder('callsheet-binding-');
  const { key, cert } = authority.issue();
  other = authority.issue();
  // Started once to find out which user it runs as: the key has to be readable by that one alone.
  const plain = await keepPostgres({ directory, ...common });
  const admin = new pg.Client({ connectionString: plain.url });
  await admin.connect();
  await admin.query(`set password_encryption = 'md5'`);
  for (const method of methods) await admin.query(`create role ${method} login password 'own'`);
  await admin.end();
  const { uid, gid } = await stat(path.join(plain.directory, 'data'));
  await plain.stop();
  const [pem, hba] = [path.join(directory, 'server.pem'), path.join(directory, 'hba.conf')];
  const lines = methods.map((method) => `hostssl all ${method} all ${method}`);
  await writeFile(pem, Buffer.concat([key, cert]), { mode: 0o600 });
  await writeFile(hba, [...lines, 'host all all all scram-sha-256', ''].join('\n'), { mode: 0o600 });
  for (const file of [pem, hba]) await chown(file, uid, gid);
  const tls = { ssl: 'on', ssl_cert_file: pem, ssl_key_file: pem, hba_file: hba };
  const settings = { ...common.settings, ...tls };
  server = await keepPostgres({ ...common, directory, temporary: true, settings });
});
afterAll(() => server?.stop());

function url(parameters: string, role?: string, host?: string): string {
  const address = new URL(server.url);
  if (role !== undefined) Object.assign(address, { username: role, password: 'own' });
  if (host !== undefined) address.host = host;
  return `${address}?sslmode=require&${parameters}`;
}

async function tryTo(address: string): Promise<string> {
  try {
    await (await connect(address)).end();
    return 'connected';
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
}

const open = new Set<TLSSocket>();

/** Listens for clients of Postgres, with a certificate of its own. Returns its host and port. */
async function listen(serve: (client: TLSSocket) => unknown): Promise<string> {
  const accepted = createServer(async (socket) => {
    socket.on('error', () => {});
    await once(socket, 'data');
    socket.write('S');
    const client = new TLSSocket(socket, { isServer: true, ...other });
    client.on('error', () => {});
    open.add(client);
    serve(client);
  });
  accepted.listen(0, '127.0.0.1');
  await once(accepted, 'listening');
  onTestFinished(() => void accepted.close());
  return `127.0.0.1:${(accepted.address() as AddressInfo).port}`;
}

/** Goes on to the server, with TLS: it could read and change everything. */
async function goBetween(client: TLSSocket): Promise<void> {
  const target = new URL(server.url);
  const raw = connectTcp(Number(target.port), target.hostname);
  raw.on('error', () => {});
  raw.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  await once(raw, 'data');
  const upstream = connectTls({ socket: raw, rejectUnauthorized: false });
  upstream.on('error', () => {});
  client.pipe(upstream).pipe(client);
}

describe('channel_binding', () => {
  it('is there where the server has it', async () => {
    for (const mode of ['disable', 'prefer', 'require'])
      expect([mode, await tryTo(url(`channel_binding=${mode}`))]).toEqual([mode, 'connected']);
  });

  it.each(methods)('=require refuses a server that lets a role in by %s', async (method) => {
    expect(await tryTo(url('channel_binding=prefer', method))).toBe('connected');
    expect(await tryTo(url('channel_binding=require', method))).toBe(
      "INVALID_CONFIGURATION: the database doesn't support channel binding, which channel_binding=require demands",
    );
  });

  it('=require sends a password to nobody who asks for it', async () => {
    const received: string[] = [];
    const host = await listen((client) => {
      client.once('data', () => {
        client.on('data', (bytes) => received.push(bytes.toString()));
        client.write(Buffer.from([...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 3]));
      });
    });
    const ask = (mode: string) => tryTo(url(`channel_binding=${mode}`, 'password', host));
    expect(await ask('require')).toMatch(
      /^INVALID_CONFIGURATION: the database doesn't support channel binding/,
    );
    await expect.poll(() => [...open].every(({ closed }) => closed)).toBe(true);
    expect(received).toEqual([]);
    const connecting = ask('prefer');
    await expect.poll(() => received.join()).toContain('own');
    for (const client of open) client.destroy();
    expect(await connecting).toMatch(/terminated/);
  });

  it('=require refuses it for a pool, too, and no connection stays open', async () => {
    const warehouse = openWarehouse(url('channel_binding=require', 'trust'), 2);
    await expect(requireSchema(warehouse)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      advice: expect.stringMatching(/^check channel_binding in DATABASE_URL: prefer /),
    });
    await warehouse.destroy();
    const admin = await connect(server.url);
    // The server notices the end of a connection a little later.
    const sessions = async () =>
      (await admin.query(`select from pg_stat_activity where usename = 'trust'`)).rows;
    await expect.poll(sessions).toEqual([]);
    await admin.end();
  });

  it('finds out who is in between, where sslmode does not verify the certificate', async () => {
    const host = await listen(goBetween);
    expect(await tryTo(url('channel_binding=disable', undefined, host))).toBe('connected');
    for (const mode of ['prefer', 'require']) {
      const refused = connect(url(`channel_binding=${mode}`, undefined, host));
      const failure = warehouseFailure(await refused.catch((error) => error));
      expect(failure).toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringMatching(/^the database and channel_binding don't agree \(.*channel binding/),
      });
    }
  });
});
