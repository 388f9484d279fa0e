import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createService, type Service, type ServiceInput } from '../../src/service/service.ts';
import { createRedactor } from '../../src/support/redaction.ts';

export const day = { from: '2026-03-01', to: '2026-03-01' };
/** With signs that are written in several ways. */
export const token = 'raw+token/with=signs';

export const validBody = '{"result":[]}';
export const valid: RequestListener = (_, response) => response.end(validBody);
export const status =
  (code: number, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end('{}');

type RawServer = AsyncDisposable & {
  readonly url: string;
  /** When each request arrived, by this process's own clock. */
  readonly times: readonly number[];
};

/** A real server that does to the nth request what the nth listener does, the last one for all that follow. */
export async function startRawServer(listeners: readonly RequestListener[]): Promise<RawServer> {
  const times: number[] = [];
  const server: Server = createServer((request, response) => {
    times.push(performance.now());
    listeners[Math.min(times.length, listeners.length) - 1]!(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    times,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client of that server, with time enough for a busy machine. */
export function connect(
  url: string,
  settings: Partial<ServiceInput['settings']> = {},
  parts: Partial<ServiceInput> = {},
): Service {
  const redactor = createRedactor();
  redactor.learn(token);
  return createService({
    settings: {
      baseUrl: url,
      windowEnd: 'same-day',
      balanceField: null,
      concurrency: 4,
      ratePerSecond: null,
      requestTimeoutMs: 600_000,
      retries: 1,
      maxResponseBytes: 64_000_000,
      ...settings,
    },
    token: () => token,
    redactor,
    signal: new AbortController().signal,
    ...parts,
  });
}
