/*
 * The service of the bench. Its responses depend only on page and day. The simulator of `src` searches its whole list for
 * each page, which would take longer than the program under test.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export const pageLimit = 100;

export type ServiceOptions = {
  readonly clients?: number;
  readonly campaigns?: number;
  readonly latencyMs?: number;
  /** Days of the first account whose responses are computed before the first request, like all client pages. */
  readonly days?: readonly string[];
  readonly changing?: boolean;
  /** Attempts of each campaign beyond the usual. */
  readonly added?: number;
  /** All accounts have the campaigns of the first one. */
  readonly equal?: boolean;
  /** The status of every response; 200 by default. */
  readonly status?: number;
};

/** As long as a real token. */
export const tokenOf = (account: number) => `bench-${String(account).padStart(18, '0')}`;

export async function startService(options: ServiceOptions) {
  const worker = new Worker(import.meta.filename, { workerData: options });
  const [port] = await once(worker, 'message');
  return { url: `http://127.0.0.1:${port}`, stop: () => worker.terminate() };
}

export function clientsFrom(first: number, end: number, walk = 0) {
  return Array.from({ length: Math.max(0, end - first) }, (_, offset) => {
    const index = first + offset;
    return {
      clientid: 48_200 + index * 3,
      clientname: `${pick(towns, index)} ${pick(trades, index >> 4)} ${index}`,
      checksum: String(mix(index)).padStart(10, '0'),
      balance: (mix(index + 7 + walk * 1_000_003) % 900_000) / 100,
    };
  });
}

/** The body of a page, counted from 1, in a list of `clients` clients. */
export function clientPage(page: number, clients: number, walk = 0): string {
  const first = (page - 1) * pageLimit;
  const data = clientsFrom(first, Math.min(first + pageLimit, clients), walk);
  const pages = pagesOf(clients);
  const counts = { clients, results: clients, count: data.length };
  return JSON.stringify({ apirid: '', page, pages, limit: pageLimit, ...counts, data });
}

/** The body of the summary of an account's day. Each campaign runs for twenty days. */
export function campaignSummary(account: number, day: string, campaigns: number, added = 0): string {
  const epochDay = Date.parse(`${day}T00:00:00Z`) / 86_400_000;
  const result = Array.from({ length: campaigns }, (_, index) => {
    const callsetid = account * 1_000_000_000 + index * 100_000 + Math.floor((epochDay + index) / 20);
    const attempts = 20 + added + (mix(callsetid + epochDay * 31) % 1_000);
    const connects = Math.floor(attempts * 0.55);
    return {
      callsetid,
      campaign: `${pick(towns, index)} ${pick(trades, index >> 2)} reminders ${index}`,
      attempts,
      busies: Math.floor(attempts * 0.1),
      connects,
      liveanswers: Math.floor(connects * 0.6),
    };
  });
  return JSON.stringify({ campaigns, reports: campaigns, result });
}

const pagesOf = (clients: number) => Math.max(1, Math.ceil(clients / pageLimit));
const pick = (words: readonly string[], index: number) => words[index % words.length]!;
const towns = 'Ashford,Blue Harbor,Cedar Falls,Dunmore,Eastvale,Fairview,Glen Oak,Hillside'.split(',');
const trades = 'Dental,Heating,Insurance,Library,Optics,Pharmacy,Roofing,Schools,Water'.split(',');

/** Hashes a whole number to 32 bits. */
function mix(value: number): number {
  const low = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return Math.imul(low ^ (low >>> 12), 0x297a2d39) >>> 0;
}

async function serve({
  clients = 0,
  campaigns = 0,
  latencyMs = 0,
  days = [],
  changing = false,
  added = 0,
  equal = false,
  status = 200,
}: ServiceOptions): Promise<void> {
  let walk = 0;
  const pages = Array.from({ length: pagesOf(clients) }, (_, index) =>
    Buffer.from(clientPage(index + 1, clients)),
  );
  const known = new Map(
    days.map((day) => [`1 ${day}`, Buffer.from(campaignSummary(1, day, campaigns, added))]),
  );
  const bodyOf = (url: string): Buffer => {
    const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
    if (changing && url.includes('/getClients.wr?')) {
      if (page === 1) walk++;
      // One client of each page can't be read, and its record differs in each walk.
      return Buffer.from(clientPage(page, clients, walk).replace(/"clientname":"[^"]*"/, '"clientname":{}'));
    }
    if (url.includes('/getClients.wr?')) return pages[page - 1] ?? Buffer.from(clientPage(page, clients));
    const account = equal ? 1 : Number(/[?&]sidtoken=bench-(\d+)/.exec(url)?.[1]);
    const [, month, date, year] = /[?&]startdate=(\d+)-(\d+)-(\d+)/.exec(url) ?? [];
    const day = `${year}-${month}-${date}`;
    return known.get(`${account} ${day}`) ?? Buffer.from(campaignSummary(account, day, campaigns, added));
  };
  const server = createServer((request, response) => {
    const send = () => {
      const body = bodyOf(request.url!);
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.byteLength });
      response.end(body);
    };
    if (latencyMs > 0) setTimeout(send, latencyMs);
    else send();
  });
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  parentPort!.postMessage((server.address() as AddressInfo).port);
}

if (!isMainThread) await serve(workerData);
