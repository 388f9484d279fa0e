import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../../src/warehouse/db/connection.ts';
import { isDatabaseOutage, warehouseFailure } from '../../../src/warehouse/failures.ts';
import { createAuthority } from '../../support/certificates.ts';
import { createDatabase, queryAt } from '../../support/database.ts';
import { createStranger } from '../../support/role.ts';

/** Listens where Postgres or a pooler would, and serves the first packet of each client. Returns the address. */
async function listen(serve: (client: Socket) => unknown): Promise<string> {
  const server = createServer(async (client) => {
    client.on('error', () => {});
    await once(client, 'data');
    serve(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `postgres://user:password@127.0.0.1:${(server.address() as AddressInfo).port}/callsheet`;
}

/** Refuses a client as servers do. */
async function refuseWith(state: string, message: string): Promise<string> {
  const fields = ['SFATAL', `C${state}`, `M${message}`].map((field) => `${field}\0`).join('');
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(4 + fields.length + 1, 1);
  return await listen((client) => client.end(Buffer.concat([head, Buffer.from(`${fields}\0`)])));
}

const failureOf = async (address: string) => {
  const error = await connect(address).catch((error: unknown) => error);
  return { ...warehouseFailure(error), isOutage: isDatabaseOutage(error) };
};

it.each([
  [
    'XX000',
    'Tenant or user not found',
    'WAREHOUSE_UNAVAILABLE',
    /^the database can't be used \(XX000: Tenant/,
  ],
  ['55000', 'database "call" is not currently accepting', 'WAREHOUSE_UNAVAILABLE', /\(55000: database/],
  ['42704', 'unrecognized configuration parameter "a.b"', 'WAREHOUSE_UNAVAILABLE', /\(42704: unrecog/],
  ['0A000', 'función no permitida', 'WAREHOUSE_UNAVAILABLE', /^the database can't be used \(0A000: función/],
  [
    '28000',
    'SSL-Verbindung erforderlich',
    'INVALID_CONFIGURATION',
    /^the database refuses the login \(28000/,
  ],
  ['08P01', 'SSL required', 'INVALID_CONFIGURATION', /^the database refuses a connection without TLS/],
  ['XX000', 'could not write init file', 'DATABASE_FULL', /^the disk of the database is full/],
  ['53100', 'could not extend file "x": No space left on device', 'DATABASE_FULL', /^the disk .* is full/],
  [
    '53100',
    'could not resize shared memory segment "/x"',
    'WAREHOUSE_UNAVAILABLE',
    /^the .* no shared memory/,
  ],
  ['53300', 'demasiadas conexiones para el rol «a»', 'WAREHOUSE_UNAVAILABLE', /^the .* no connection left/],
  [
    '08P01',
    'no more connections allowed (max_client_conn)',
    'WAREHOUSE_UNAVAILABLE',
    /^the database has no connection left/,
  ],
  [
    '08P01',
    'no such database: call',
    'INVALID_CONFIGURATION',
    /^the database in DATABASE_URL does not exist/,
  ],
  [
    '08P01',
    'database "call" does not exist',
    'INVALID_CONFIGURATION',
    /^the database in DATABASE_URL does not exist/,
  ],
  ['08P01', 'SASL authentication failed', 'INVALID_CONFIGURATION', /^the database rejected the password/],
  ['08P01', 'no such user', 'INVALID_CONFIGURATION', /^the database rejected the password/],
  [
    '08P01',
    'unsupported startup parameter: options',
    'INVALID_CONFIGURATION',
    /^the pooler in front of the database refuses a parameter/,
  ],
  [
    '08P01',
    'server_login_retry',
    'WAREHOUSE_UNAVAILABLE',
    /^the database can't be used \(08P01: server_login/,
  ],
  ['XX000', 'MaxClientsInSessionMode: max clients reached', 'WAREHOUSE_UNAVAILABLE', /\(XX000: MaxClients/],
  [
    '28000',
    'no pg_hba.conf entry for host "10.0.0.7", user "user", database "callsheet", no encryption',
    'INVALID_CONFIGURATION',
    /^the database refuses a connection without TLS/,
  ],
  [
    '28000',
    'connection requires a valid client certificate',
    'INVALID_CONFIGURATION',
    /demands a certificate of the client/,
  ],
])(
  'a refusal with %s: %s is no error of ours, and is shown in the words of the server',
  async (state, message, code, detail) => {
    expect(await failureOf(await refuseWith(state, message))).toMatchObject({
      code,
      detail: expect.stringMatching(detail),
      isOutage: code !== 'INVALID_CONFIGURATION',
    });
  },
);

it('a user without the right to connect gets it by what the error says to type', async () => {
  const database = await createDatabase();
  onTestFinished(database.drop);
  const stranger = await createStranger();
  onTestFinished(stranger.drop);
  const name = new URL(database.url).pathname.slice(1);
  await queryAt(database.url, `revoke connect on database ${name} from public`);
  const url = stranger.url(database.url);
  const { code, advice } = await failureOf(url);
  const [, sql] = /DATABASE_URL: (grant .*;)$/.exec(advice!) ?? [];
  expect([code, sql]).toEqual(['INVALID_CONFIGURATION', `grant connect on database "${name}" to USER;`]);
  await queryAt(database.url, sql!.replace('USER', stranger.name));
  await (await connect(url)).end();
  await queryAt(database.url, `revoke connect on database ${name} from ${stranger.name}`);
});

it('an error of TLS, of the protocol or of a missing password is none of ours either', async () => {
  const plain = await listen((client) => client.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect(await failureOf(plain)).toMatchObject({ code: 'WAREHOUSE_UNAVAILABLE' });
  const old = await listen((client) => {
    client.write('S');
    client.once('data', () => client.end(Buffer.from([21, 3, 1, 0, 2, 2, 70])));
  });
  expect(await failureOf(`${old}?sslmode=require`)).toMatchObject({ code: 'WAREHOUSE_UNAVAILABLE' });
  const scram = await listen((client) => {
    const method = Buffer.from('SCRAM-SHA-256\0\0');
    client.write(Buffer.concat([Buffer.from([82, 0, 0, 0, 8 + method.length, 0, 0, 0, 10]), method]));
    client.once('data', () =>
      client.write(Buffer.concat([Buffer.from([82, 0, 0, 0, 11, 0, 0, 0, 11]), Buffer.from('r=x')])),
    );
  });
  expect(await failureOf(scram.replace(':password', ''))).toMatchObject({
    code: 'INVALID_CONFIGURATION',
    detail: expect.stringMatching(/^the database rejected the password \(SASL: /),
  });
});

it('a certificate of an authority of its own is said to be one, and nobody is advised to weaken sslmode', async () => {
  using authority = createAuthority();
  const serve = (names: string) => {
    const certificate = authority.issue({ names });
    return listen((client) => {
      client.write('S');
      new TLSSocket(client, { isServer: true, ...certificate }).on('error', () => {});
    });
  };
  const own = await failureOf(`${await serve('IP:127.0.0.1')}?sslmode=verify-full`);
  expect(own).toMatchObject({
    code: 'INVALID_CONFIGURATION',
    detail: expect.stringContaining('has a certificate of an authority that is not trusted here'),
    advice: expect.stringMatching(/sslrootcert=FILE in DATABASE_URL, or in NODE_EXTRA_CA_CERTS/),
  });
  const parameters = `sslmode=verify-full&sslrootcert=${authority.file}`;
  expect(await failureOf(`${await serve('DNS:db.example.com')}?${parameters}`)).toMatchObject({
    code: 'INVALID_CONFIGURATION',
    detail: expect.stringContaining('has a certificate for other names'),
  });
});
