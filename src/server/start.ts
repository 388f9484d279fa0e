import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Failure } from '../model/errors.ts';
import { isLoopback } from '../support/loopback.ts';
import { type AppOptions, createApp, type ServerInput } from './app.ts';

export type ServerOptions = AppOptions & {
  readonly host: string;
  /** 0 is any free one. */
  readonly port: number;
};

export type RunningServer = { readonly url: string; close(): Promise<void> };

/** Serves health, metrics and the operator's page until it is closed. Throws a Failure if it can't listen. */
export async function startServer(app: ServerInput, options: ServerOptions): Promise<RunningServer> {
  const { host, port, token } = options;
  const server = createAdaptorServer({ fetch: createApp(app, options).fetch }) as Server;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Failure(
      'INVALID_CONFIGURATION',
      `can't listen on HTTP_PORT ${port} of HTTP_HOST ${host} (${(error as NodeJS.ErrnoException).code})`,
      'choose another port, or HTTP_PORT=0 for no server',
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
      // An idle connection doesn't delay the end.
      server.closeAllConnections();
      await closed;
    },
  };
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
