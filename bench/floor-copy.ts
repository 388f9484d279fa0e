/** The floor of loading: copies all clients into a temporary table, then upserts the changed ones in one statement. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { clientsFrom } from './fixed-responses.ts';

const clients = clientsFrom(0, Number(process.argv[2]));
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();

const began = performance.now();
await client.query('begin');
await client.query('create temporary table page (like clients) on commit drop');
await pipeline(Readable.from(lines()), client.query(from('copy page from stdin')));
await client.query(`
  insert into clients as c select * from page
  on conflict (client_id) do update
    set name = excluded.name, checksum = excluded.checksum, balance = excluded.balance
    where (c.name, c.checksum, c.balance) is distinct from (excluded.name, excluded.checksum, excluded.balance)`);
await client.query('commit');
process.stdout.write(`{"workMs":${performance.now() - began}}\n`);
await client.end();

/** Yields the rows in COPY's text format, 500 at a time. */
function* lines(): Generator<string> {
  for (let first = 0; first < clients.length; first += 500) {
    const rows = clients.slice(first, first + 500);
    yield rows.map((row) => `${Object.values(row).join('\t')}\n`).join('');
  }
}
