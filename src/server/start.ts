import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { AppContext } from '../job/run/app-context.ts';
import { Failure } from '../model/errors.ts';
import { isLoopback } from '../support/loopback.ts';
import { type AppOptions, createApp } from './app.ts';

export type ServerOptions = AppOptions & {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
};

export type RunningServer = { readonly url: string; close(): Promise<void> };

/** Timeouts for slow clients, and the interval at which Node checks them, in milliseconds. */
const limits = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
const maxConnections = 64;
/** A connection without traffic is closed after this time: its client has stopped reading the response. */
const idleMs = 30_000;

/** The server has its own connections: a run never waits for a page. */
const connections = 2;

/** Serves health, metrics and the operator's page until it is closed. Throws a Failure if it can't listen. */
export async function startServer(app: AppContext, options: ServerOptions): Promise<RunningServer> {
  const { host, port, token } = options;
  const warehouse = app.openWarehouse(connections);
  const { fetch } = createApp({ ...app, warehouse }, options);
  const server = createAdaptorServer({ fetch, serverOptions: limits }) as Server;
  limitConnections(server);
  server.setTimeout(idleMs);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await warehouse.destroy();
    throw new Failure(
      'INVALID_CONFIGURATION',
      `can't listen on HTTP_PORT ${port} of HTTP_HOST ${host} (${(error as NodeJS.ErrnoException).code})`,
      { advice: 'choose another port, or HTTP_PORT=0 for no server' },
    );
  }
  const url = addressOf(server);
  app.log.info(`server: listening at ${url}`);
  if (token === null && !isLoopback(host))
    app.log.warn(`server: other machines can reach ${host}: set HTTP_TOKEN, or restrict access`);
  return {
    url,
    async close() {
      const closed = once(server, 'close');
      server.close();
      // Idle connections would delay the end.
      server.closeAllConnections();
      await closed;
      await warehouse.destroy();
    },
  };
}

/** One connection too many closes the oldest, not itself: slow clients can't keep out the probe of a container. */
function limitConnections(server: Server): void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= maxConnections) return;
    const [oldest] = open;
    open.delete(oldest!);
    oldest!.destroy();
  });
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
