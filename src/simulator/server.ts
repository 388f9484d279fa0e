import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dataset, generateDataset } from './dataset.ts';
import { compose, type Middleware, type ServiceResponse } from './middleware.ts';
import { BASE_PATH, createRequestReader } from './requests.ts';
import { errorResponse, serve } from './service.ts';

export type Simulator = {
  /** Base URL to set as SERVICE_BASE_URL, e.g. http://127.0.0.1:54321/api */
  readonly url: string;
  readonly port: number;
  /** Stops listening and closes open connections. */
  close(): Promise<void>;
};

export type SimulatorOptions = {
  /** 0, the default, takes any free port. */
  port?: number;
  now?: () => Temporal.Instant;
  dataset?: Dataset;
  intercept?: Middleware;
};

/** Starts the simulator on 127.0.0.1. Rejects if the port is taken. */
export async function startSimulator({
  port = 0,
  now = () => Temporal.Now.instant(),
  dataset = generateDataset(1, now),
  intercept = () => undefined,
}: SimulatorOptions = {}): Promise<Simulator> {
  const read = createRequestReader(dataset);
  const handle = compose([intercept], serve);
  const server = createServer(async (incoming, outgoing) => {
    incoming.resume();
    // An error in a middleware or a data set must not end the process.
    const response = await handle(read(incoming)).catch((error: unknown) =>
      errorResponse(500, `The simulator failed: ${String(error)}`),
    );
    send(incoming, outgoing, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}${BASE_PATH}`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        // Ignores the error of a server that is closed already.
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends the response; a client that disconnects is no error. */
function send(incoming: IncomingMessage, outgoing: ServerResponse, response: ServiceResponse): void {
  const { status = 200, envelope, body = JSON.stringify(envelope) ?? '', transfer = 'whole' } = response;
  if (transfer === 'reset') {
    incoming.socket.resetAndDestroy();
    return;
  }
  const headers = { 'content-type': 'application/json; charset=utf-8', ...response.headers };
  if (transfer === 'whole') {
    outgoing.writeHead(status, headers).end(body);
    return;
  }
  const bytes = Buffer.from(body);
  outgoing.writeHead(status, { ...headers, 'content-length': Math.max(bytes.length, 1) });
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => incoming.socket.destroy());
  outgoing.flushHeaders();
}
