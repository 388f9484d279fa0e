import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dataset, generateDataset } from './dataset.ts';
import { type JournalEntry, journalEntry } from './journal.ts';
import {
  answerRequest,
  type Operation,
  operationOf,
  type ServiceAnswer,
  type ServiceRequest,
} from './operations.ts';
import { errorBody } from './refusal.ts';

/** A running stand-in for the voice broadcasting service of service.md. */
export type Simulator = {
  /** Base URL to set as SERVICE_BASE_URL, e.g. http://127.0.0.1:54321/api */
  readonly url: string;
  readonly port: number;
  /** Every request answered so far, oldest first; the token is replaced by the account's name. */
  readonly journal: readonly JournalEntry[];
  /** Stops listening and ends open connections too. */
  close(): Promise<void>;
};

export type SimulatorOptions = {
  /** 0, the default, takes any free port. */
  port?: number;
  /** 127.0.0.1 unless told. */
  host?: string;
  /** Of the data set, unless `dataset` is given. */
  seed?: number;
  now?: () => Temporal.Instant;
  dataset?: Dataset;
  intercept?: Intercept;
};

/** A request as a test's `intercept` sees it; `params` holds the token as it was sent. */
export type InterceptedRequest = {
  readonly operation: Operation;
  readonly account: string | undefined;
  readonly params: URLSearchParams;
  /** Which request of this operation it is, counted from 1. */
  readonly nth: number;
};

/** An answer in the service's place: status 200 and JSON unless told. */
export type CannedAnswer = { status?: number; headers?: Record<string, string>; body: string };

/** Lets a test answer in the service's place; `undefined` leaves the answer to the service. */
export type Intercept = (
  request: InterceptedRequest,
) => Promise<CannedAnswer | undefined> | CannedAnswer | undefined;

/** Starts the service on a port of this machine; rejects with Node's own error when the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = '127.0.0.1', seed, now = () => Temporal.Now.instant(), intercept } = options;
  const dataset = options.dataset ?? generateDataset(seed, now);
  const journal: JournalEntry[] = [];
  const server = createServer(requestListener(dataset, journal, now, intercept));
  await listen(server, port, host);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/api`,
    port: bound,
    journal,
    close: () => close(server),
  };
}

function requestListener(
  dataset: Dataset,
  journal: JournalEntry[],
  now: () => Temporal.Instant,
  intercept: Intercept | undefined,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const asked: Record<Operation, number> = { getClients: 0, campaignSummary: 0, unknown: 0 };
  return async (request, response) => {
    request.resume();
    const asks = readRequest(dataset, request);
    const { operation, account, params } = asks;
    asked[operation] += 1;
    const seen = {
      operation,
      account: account?.name,
      params: new URLSearchParams(params),
      nth: asked[operation],
    };
    const answer = await answerSafely(async () => (await intercept?.(seen)) ?? answerRequest(dataset, asks));
    const contentType = request.headers['content-type'];
    journal.push(journalEntry({ ...asks, at: now(), contentType, status: answer.status }));
    response.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      ...answer.headers,
    });
    response.end(answer.body);
  };
}

function readRequest(dataset: Dataset, { method = '', url = '' }: IncomingMessage): ServiceRequest {
  const [path, params] = splitTarget(url);
  const account = dataset.accounts.find(({ token }) => token === params.get('sidtoken'));
  return { method, path, operation: operationOf(path), account, params };
}

function splitTarget(target: string): [path: string, params: URLSearchParams] {
  const mark = target.indexOf('?');
  return mark < 0
    ? [target, new URLSearchParams()]
    : [target.slice(0, mark), new URLSearchParams(target.slice(mark + 1))];
}

/** A fault in a test's intercept or data set shows as a 500; it must not end the process. */
async function answerSafely(answer: () => Promise<CannedAnswer>): Promise<ServiceAnswer> {
  try {
    return { status: 200, ...(await answer()) };
  } catch (error) {
    return { status: 500, body: errorBody(500, `The simulator failed: ${String(error)}`) };
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Called on a server that is closed already, it reports so: no matter, it is closed.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
