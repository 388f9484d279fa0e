import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { createPool } from '../../src/warehouse/db/connection.ts';
import { createSockets } from '../../src/warehouse/db/sockets.ts';
import { common } from '../private-postgres/private-servers.ts';
import { keepPostgres } from '../support/postgres-keeper.ts';
import { scratchFolder } from '../support/scratch.ts';

/** The password of the database: who gets it, and what guards it on the way. */

const certificate = readFileSync(path.resolve(import.meta.dirname, '../support/smtp-certificate.pem'));
const sslRequest = 80877103;

/** The server's offer of SCRAM, without channel binding. */
function scramOffer(): Buffer {
  const mechanisms = Buffer.from('SCRAM-SHA-256\0\0');
  const head = Buffer.alloc(9);
  head.write('R');
  head.writeInt32BE(8 + mechanisms.length, 1);
  head.writeInt32BE(10, 5);
  return Buffer.concat([head, mechanisms]);
}

type FakePostgres = AsyncDisposable & { readonly url: string; readonly received: string[] };

/** Speaks just the start of the protocol: asks for the password by SCRAM, keeps what it gets, and hangs up. */
async function fakePostgres(): Promise<FakePostgres> {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (first: Buffer) => {
      if (first.readInt32BE(4) !== sslRequest) return ask(socket);
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, key: certificate, cert: certificate });
      secure.on('error', () => {});
      secure.once('data', () => ask(secure));
    });
  });
  function ask(socket: Socket) {
    socket.write(scramOffer());
    socket.once('data', (message) => {
      received.push(message.toString('latin1'));
      socket.destroy();
    });
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://callsheet:open-sesame@127.0.0.1:${port}/callsheet`,
    received,
    async [Symbol.asyncDispose]() {
      await once(server.close(), 'close');
    },
  };
}

const pools: { end(): Promise<void> }[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end();
});

async function connectTo(url: string): Promise<string> {
  const pool = createPool(url, 1, createSockets());
  pools.push(pool);
  return await pool.connect().then(
    (client) => {
      client.release();
      return 'connected';
    },
    (error: Error) => error.message,
  );
}

it('a server that offers SCRAM doesn’t get the password itself, with TLS or without', async () => {
  await using server = await fakePostgres();
  await connectTo(server.url);
  await connectTo(`${server.url}?channel_binding=prefer&sslmode=require`);
  expect(server.received).toHaveLength(2);
  for (const message of server.received) expect(message).not.toContain('open-sesame');
});

it('a real server with TLS is connected to with its channel bound, and without TLS by SCRAM alone', async () => {
  const directory = await scratchFolder('callsheet-tls-');
  const key = path.join(directory, 'server.pem');
  await writeFile(key, certificate, { mode: 0o640 });
  const tls = { ssl: 'on', ssl_cert_file: key, ssl_key_file: key };
  // Started once to find out which user it runs as: the key has to be readable by that one alone.
  const plain = await keepPostgres({ directory, ...common });
  const { uid, gid } = await stat(path.join(plain.directory, 'data'));
  await plain.stop();
  await chown(key, uid, gid);
  await chmod(key, 0o600);
  const server = await keepPostgres({
    ...common,
    directory,
    temporary: true,
    settings: { ...common.settings, ...tls },
  });
  for (const mode of ['require', 'disable'])
    expect(await connectTo(`${server.url}?sslmode=${mode}&channel_binding=prefer`)).toBe('connected');
  await server.stop();
});
