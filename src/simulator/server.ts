import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dataset, generateDataset } from './dataset.ts';
import type { Middleware, ServiceRequest, ServiceResponse } from './middleware.ts';
import { errorResponse, serve } from './service.ts';

/** The path of the operations; any other path is refused. */
const BASE_PATH = '/api';

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
  async function respond(request: ServiceRequest): Promise<ServiceResponse> {
    try {
      const intercepted = await intercept(request, async (changed = request) => serve(changed));
      return intercepted ?? serve(request);
    } catch (error) {
      // An error in a middleware or a data set must not end the process.
      return errorResponse(500, `The simulator failed: ${String(error)}`);
    }
  }
  const server = createServer(async (incoming, outgoing) => {
    incoming.resume();
    send(incoming, outgoing, await respond(readRequest(incoming, dataset)));
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

/** Reads a request and finds the account of its token among those that the data set has now. The document doesn't show how to get a token. */
function readRequest({ method = '', url: target = '' }: IncomingMessage, dataset: Dataset): ServiceRequest {
  const path = target.split('?', 1)[0] ?? '';
  const params = new URLSearchParams(target.slice(path.length));
  const account = dataset.accounts.find(({ token }) => token === params.get('sidtoken'))?.name;
  return {
    method,
    path,
    operation: operations[path] ?? 'unknown',
    account,
    accepted: account !== undefined,
    params,
    dataset,
  };
}

const operations: { readonly [path: string]: ServiceRequest['operation'] } = {
  [`${BASE_PATH}/getClients.wr`]: 'getClients',
  [`${BASE_PATH}/campaignSummary.wr`]: 'campaignSummary',
};

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
