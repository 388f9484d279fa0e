import { Agent, get } from 'node:http';
import { parseArgs } from 'node:util';

/** The floor of asking: all client pages fetched and parsed, eight at once, and nothing done with them. */
const { values } = parseArgs({ options: { by: { type: 'string' }, pages: { type: 'string' } } });
const pages = Number(values.pages);
const atOnce = 8;
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
const { SERVICE_BASE_URL, SIDTOKEN } = process.env;
const urlOf = (page: number) =>
  `${SERVICE_BASE_URL}/getClients.wr?sidtoken=${SIDTOKEN}&limit=100&page=${page}&balance=true`;

const ways: Record<string, (url: string) => Promise<unknown>> = {
  fetch: async (url) => (await fetch(url)).json(),
  'node:http': (url) =>
    new Promise((resolve, reject) => {
      get(url, { agent }, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve(JSON.parse(body)));
      }).on('error', reject);
    }),
};
const ask = ways[values.by ?? '']!;

const began = performance.now();
let next = 1;
let records = 0;
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (next <= pages) {
      const { data } = (await ask(urlOf(next++))) as { data: unknown[] };
      records += data.length;
    }
  }),
);
process.stdout.write(`{"workMs":${performance.now() - began}}\n`);
agent.destroy();
if (Math.ceil(records / 100) !== pages) throw new Error(`${records} clients on ${pages} pages`);
