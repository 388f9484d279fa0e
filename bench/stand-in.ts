import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { campaignSummary, clientPage, pageLimit } from './bodies.ts';

export type StandInOptions = {
  readonly clients: number;
  readonly campaigns: number;
  readonly latencyMs: number;
  /** Days of the first account whose bodies are computed before the first request; and so are all client pages. */
  readonly beforehand: readonly string[] | null;
};

/** Token of the so-manieth account, counted from 1. */
export const tokenOf = (account: number) => `bench-${account}`;

/** The stand-in: a process of its own, so that its work isn't counted as ours. It ends with its stdin. */
async function serve(options: StandInOptions): Promise<void> {
  const { pages, days } = compute(options);
  const answer = ({ url = '' }: IncomingMessage): Buffer => {
    if (url.includes('/getClients.wr?')) {
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
      return pages[page - 1] ?? Buffer.from(clientPage(page, options.clients));
    }
    const account = Number(/[?&]sidtoken=bench-(\d+)/.exec(url)?.[1]);
    const [, month, date, year] = /[?&]startdate=(\d+)-(\d+)-(\d+)/.exec(url) ?? [];
    const day = `${year}-${month}-${date}`;
    return (
      (account === 1 ? days.get(day) : undefined) ??
      Buffer.from(campaignSummary(account, day, options.campaigns))
    );
  };
  const server = createServer((request, response) => {
    const send = () => {
      const body = answer(request);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength });
      response.end(body);
    };
    if (options.latencyMs > 0) setTimeout(send, options.latencyMs);
    else send();
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  await once(process.stdin.resume(), 'close');
  server.close();
  server.closeAllConnections();
}

function compute({ clients, campaigns, beforehand }: StandInOptions) {
  if (beforehand === null) return { pages: [], days: new Map<string, Buffer>() };
  const pages = Array.from({ length: Math.max(1, Math.ceil(clients / pageLimit)) }, (_, index) =>
    Buffer.from(clientPage(index + 1, clients)),
  );
  const days = new Map(beforehand.map((day) => [day, Buffer.from(campaignSummary(1, day, campaigns))]));
  return { pages, days };
}

if (import.meta.main) await serve(JSON.parse(process.argv[2]!));
