import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { type Dataset, generateDataset } from './dataset.ts';
import { injectScripted, type ScriptedFault } from './faults.ts';
import { compose, type Middleware, named, type ServiceResponse } from './middleware.ts';
import {
  BASE_PATH,
  createRequestReader,
  type FurtherTokens,
  type JournalEntry,
  journalEntry,
} from './requests.ts';
import { errorResponse, serve } from './service.ts';
import { createVariants, type VariantName } from './variants.ts';

export type Simulator = {
  /** Base URL to set as SERVICE_BASE_URL, e.g. http://127.0.0.1:54321/api */
  readonly url: string;
  readonly port: number;
  /** All requests so far, oldest first; the token is replaced by the account's name. */
  readonly journal: readonly JournalEntry[];
  /** Refuses the token from now on; throws if no account has it. */
  revoke(token: string): void;
  /** Stops listening and closes open connections. */
  close(): Promise<void>;
};

export type SimulatorOptions = {
  /** 0, the default, takes any free port. */
  port?: number;
  now?: () => Temporal.Instant;
  dataset?: Dataset;
  latencyMs?: number;
  tokens?: FurtherTokens;
  // A request passes the following middlewares in this order.
  faults?: readonly ScriptedFault[];
  intercept?: Middleware;
  variants?: readonly VariantName[];
};

/**
 * Starts the simulator on 127.0.0.1. Rejects if the port is taken, or if `faults` or `tokens` name an unknown account.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, now = () => Temporal.Now.instant(), latencyMs = 0 } = options;
  const dataset = options.dataset ?? generateDataset(1, now);
  rejectUnknownAccounts(dataset, options);
  const requests = createRequestReader(dataset, options.tokens);
  const handle = compose(middlewaresOf(options), serve);
  const journal: JournalEntry[] = [];
  const server = createServer(async (incoming, outgoing) => {
    incoming.resume();
    const request = requests.read(incoming);
    if (latencyMs > 0) await setTimeout(latencyMs, undefined, { ref: false });
    // An error in a test's middleware or data set must not end the process.
    const response = await handle(request).catch((error: unknown) =>
      errorResponse(500, `The simulator failed: ${String(error)}`),
    );
    journal.push(journalEntry(now(), incoming.headers['content-type'], request, response));
    await send(incoming, outgoing, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}${BASE_PATH}`,
    port: bound,
    journal,
    revoke: requests.revoke,
    close: () =>
      new Promise((resolve) => {
        // Ignores the error of a server that is closed already.
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function middlewaresOf({ faults = [], intercept, variants = [] }: SimulatorOptions): Middleware[] {
  return [
    injectScripted(faults, variants.includes('pages-from-zero') ? 0 : 1),
    ...(intercept ? [named('intercept', intercept)] : []),
    ...createVariants(variants),
  ];
}

/** Throws on a misspelt name: its fault would never strike, and the test would prove nothing. */
function rejectUnknownAccounts(dataset: Dataset, { faults = [], tokens = {} }: SimulatorOptions): void {
  const names = [...Object.keys(tokens), ...faults.flatMap(({ account }) => account ?? [])];
  const unknown = names.find((name) => dataset.accounts.every((account) => account.name !== name));
  if (unknown !== undefined) throw new Error(`The data set has no account "${unknown}".`);
}

/** Sends the response; a client that disconnects is no error. */
async function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: ServiceResponse,
): Promise<void> {
  const { status = 200, envelope, body = JSON.stringify(envelope) ?? '', transfer = 'whole' } = response;
  if (transfer === 'reset') {
    incoming.socket.resetAndDestroy();
    return;
  }
  const headers = { 'content-type': 'application/json; charset=utf-8', ...response.headers };
  const pieces = typeof body === 'string' ? [body] : body;
  if (transfer === 'whole') {
    outgoing.writeHead(status, headers);
    await pipeline(pieces, outgoing).catch(() => {});
    return;
  }
  const bytes = Buffer.from([...pieces].join(''));
  outgoing.writeHead(status, { ...headers, 'content-length': Math.max(bytes.length, 1) });
  // Never ended: a stalled response stays open until the client leaves or the simulator closes.
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => {
    if (transfer === 'cut') incoming.socket.destroy();
  });
  outgoing.flushHeaders();
}
