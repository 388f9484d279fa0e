import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, Socket } from 'node:net';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createPool } from '../../src/warehouse/db/connection.ts';
import { common } from '../private-postgres/private-servers.ts';
import { callsheet } from '../support/callsheet.ts';
import { keepPostgres } from '../support/postgres-keeper.ts';
import { scratchFolder } from '../support/scratch.ts';

/** The password of the database goes to nobody who could read it on the way, whatever answers there asks for. */

const certificate = readFileSync(path.resolve(import.meta.dirname, '../support/smtp-certificate.pem'));
const sslRequest = 80877103;

const authentication = (code: number, rest: Buffer = Buffer.alloc(0)) => {
  const head = Buffer.alloc(9);
  head.write('R');
  head.writeInt32BE(8 + rest.length, 1);
  head.writeInt32BE(code, 5);
  return Buffer.concat([head, rest]);
};
const requests = {
  'clear text': authentication(3),
  MD5: authentication(5, Buffer.from('salt')),
  'SCRAM without channel binding': authentication(10, Buffer.from('SCRAM-SHA-256\0\0')),
};

type FakePostgres = AsyncDisposable & { readonly url: string; readonly received: string[] };

/** Speaks just the start of the protocol: asks for a password, keeps what it gets, and hangs up. */
async function fakePostgres(request: keyof typeof requests): Promise<FakePostgres> {
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
    socket.write(requests[request]);
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

/** A socket that leads to this machine, and says that it leads to another one. */
function socketToElsewhere(): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: '192.0.2.7' });
}

const pools: { end(): Promise<void> }[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end();
});

async function connectTo(url: string, open: () => Socket): Promise<string> {
  const pool = createPool(url, 1, { open, cut() {} });
  pools.push(pool);
  return await pool.connect().then(
    (client) => {
      client.release();
      return 'connected';
    },
    (error: Error) => error.message,
  );
}
const here = () => new Socket();

describe.each(['clear text', 'MD5'] as const)('a server that requests the password as %s', (request) => {
  it('does not get it without TLS from another machine, and the error says what to do', async () => {
    await using server = await fakePostgres(request);
    expect(await connectTo(server.url, socketToElsewhere)).toBe(
      'the database requests the password in clear text or as MD5, without TLS: it was not sent',
    );
    expect(server.received).toEqual([]);
  });

  it('gets it on this machine, with TLS, and where sslmode=disable says that this is meant', async () => {
    await using server = await fakePostgres(request);
    await connectTo(server.url, here);
    await connectTo(`${server.url}?sslmode=require`, socketToElsewhere);
    await connectTo(`${server.url}?sslmode=disable`, socketToElsewhere);
    expect(server.received).toHaveLength(3);
    const isPassword = request === 'clear text' ? /^p....open-sesame\0$/s : /^p....md5[\da-f]{32}\0$/s;
    for (const message of server.received) expect(message).toMatch(isPassword);
  });
});

describe('channel_binding=require', () => {
  it.each(Object.keys(requests) as (keyof typeof requests)[])(
    'sends nothing where the server offers %s, with TLS or without',
    async (request) => {
      await using server = await fakePostgres(request);
      for (const mode of ['require', 'disable'])
        expect(await connectTo(`${server.url}?channel_binding=require&sslmode=${mode}`, here)).toContain(
          'DATABASE_URL has channel_binding=require',
        );
      expect(server.received).toEqual([]);
    },
  );

  it('goes on otherwise, and SCRAM goes on without it', async () => {
    await using server = await fakePostgres('SCRAM without channel binding');
    await connectTo(server.url, socketToElsewhere);
    await connectTo(`${server.url}?channel_binding=prefer&sslmode=require`, socketToElsewhere);
    expect(server.received).toHaveLength(2);
    for (const message of server.received) expect(message).not.toContain('open-sesame');
  });
});

it('a real server with TLS is connected to with its channel bound, and without TLS refused', async () => {
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
  const bound = (mode: string) => `${server.url}?sslmode=${mode}&channel_binding=require`;
  expect(await connectTo(bound('require'), here)).toBe('connected');
  expect(await connectTo(bound('disable'), here)).toContain('DATABASE_URL has channel_binding=require');
  await server.stop();
});

describe('a command', () => {
  it('ends with 78 and a line for a parameter that has no effect, before it connects', async () => {
    const { code, stderr } = await callsheet(['migrate'], {
      DATABASE_URL: 'postgres://callsheet:open-sesame@db.example.com/callsheet?sslMode=require',
    });
    expect(code).toBe(78);
    expect(stderr).toContain(
      "DATABASE_URL is an address with sslMode behind the ?, which isn't one of sslmode,",
    );
    expect(stderr).not.toContain('open-sesame');
  });
});
