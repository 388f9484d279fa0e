import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type ReceivedPing = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Watchdog = AsyncDisposable & {
  readonly url: string;
  /** Oldest first; the paths lack the key. */
  readonly pings: readonly ReceivedPing[];
};

export const watchdogKey = '0b8e2d5c-6a1f-4c3e-9d77-callsheet-k3y';

/** Starts a server like healthchecks.io on loopback. */
export async function startWatchdog(statusOf = () => 200): Promise<Watchdog> {
  const pings: ReceivedPing[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url!.replace(`/ping/${watchdogKey}`, '');
    pings.push({ path, headers: request.headers, body: await text(request) });
    response.writeHead(statusOf()).end('OK');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/ping/${watchdogKey}`,
    pings,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
