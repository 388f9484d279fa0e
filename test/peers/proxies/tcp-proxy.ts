import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** What becomes of what a server sends over a connection. */
export type Fate = (server: Socket, client: Socket) => Promise<void>;

export const pass: Fate = (server, client) => pipeline(server, client);

/** A part arrives, and after a pause the next. */
export const dribble =
  (bytes: number, pauseMs: number): Fate =>
  async (server, client) => {
    for await (const chunk of server)
      for (let sent = 0; sent < chunk.length && !client.destroyed; sent += bytes) {
        client.write(chunk.subarray(sent, sent + bytes));
        await pause(pauseMs);
      }
    client.end();
  };

/** So many bytes arrive, then the connection is closed in order. */
export const cut = (bytes: number): Fate => endAfter(bytes, (client) => client.end());

/** The same, but it is reset. */
export const reset = (bytes: number): Fate => endAfter(bytes, (client) => client.resetAndDestroy());

const endAfter =
  (bytes: number, end: (client: Socket) => void): Fate =>
  async (server, client) => {
    let left = bytes;
    for await (const chunk of server) {
      await new Promise((resolve) => client.write(chunk.subarray(0, left), resolve));
      left -= chunk.length;
      if (left <= 0) break;
    }
    end(client);
  };

/** So many bytes arrive, then nothing more, and the connection stays. */
export const stall = (bytes: number): Fate => endAfter(bytes, () => {});

/** Everything arrives, but after so long without a request the connection is closed, as load balancers do. */
export const closeIdle =
  (idleMs: number): Fate =>
  async (server, client) => {
    let timer: NodeJS.Timeout | undefined;
    client.on('data', () => clearTimeout(timer));
    server.on('data', () => {
      clearTimeout(timer);
      timer = setTimeout(() => client.end(), idleMs);
    });
    await pass(server, client);
  };

/** A proxy on loopback that understands nothing of what passes; `fateOf` decides on each connection, counted from 1. */
export async function startTcpProxy(port: number, fateOf: (nth: number) => Fate) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('close', () => upstream.destroy());
    client.pipe(upstream);
    connections++;
    fateOf(connections)(upstream, client).catch(() => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
