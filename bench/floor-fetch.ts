/** The floor of fetching: fetches and parses all client pages, eight at once. */
import { Agent, get } from 'node:http';

const [by, count] = process.argv.slice(2);
const pages = Number(count);
const { SERVICE_BASE_URL, SIDTOKEN } = process.env;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

const overFetch = async (url: string) => (await fetch(url)).json();
const overHttp = (url: string) =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve(JSON.parse(body)));
    }).on('error', reject);
  });

const began = performance.now();
let next = 1;
let records = 0;
const walk = async () => {
  while (next <= pages) {
    const url = `${SERVICE_BASE_URL}/getClients.wr?sidtoken=${SIDTOKEN}&limit=100&page=${next++}&balance=true`;
    const page = await (by === 'fetch' ? overFetch(url) : overHttp(url));
    records += (page as { data: unknown[] }).data.length;
  }
};
await Promise.all(Array.from({ length: 8 }, walk));
process.stdout.write(`{"workMs":${performance.now() - began}}\n`);
agent.destroy();
if (Math.ceil(records / 100) !== pages) throw new Error(`${records} clients on ${pages} pages`);
