/** The floor of archiving: archives the responses of W1 or W2, in transactions as large as the job's. */
import { sql } from 'kysely';
import { hashed } from '../src/service/response/body.ts';
import { archiveResponses } from '../src/warehouse/archive/archive.ts';
import { openWarehouse } from '../src/warehouse/db/database.ts';
import { inTransaction } from '../src/warehouse/db/transaction.ts';
import { campaignSummary, clientPage, pageLimit } from './fixed-responses.ts';

const [operation, count, ...days] = process.argv.slice(2) as [
  'getClients' | 'campaignSummary',
  string,
  ...string[],
];
const pages = operation === 'getClients' ? Number(count) / pageLimit : 0;
const bodies = [
  ...Array.from({ length: pages }, (_, index) => ({ day: null, body: clientPage(index + 1, Number(count)) })),
  ...days.map((day) => ({ day, body: campaignSummary(1, day, Number(count)) })),
];
const fetches = bodies.map(({ day, body }) => ({
  runId: 1,
  accountId: 1,
  day,
  walk: day === null ? 1 : null,
  response: {
    operation,
    parameters: {},
    status: 200,
    ...hashed(Buffer.from(body)),
    requestedAt: 0,
  },
  fetchedAt: new Date().toISOString(),
  decision: 'loaded' as const,
  sign: null,
}));
const atOnce = pages > 0 ? 10 : 1;
const warehouse = openWarehouse(process.env.DATABASE_URL!, 1);
await sql`insert into warehouse.accounts (name, label, time_zone) values ('main', 'main', 'UTC')`.execute(
  warehouse,
);
await sql`
  insert into etl.runs (kind, command, run_date, host, process_id) values ('nightly', 'bench', current_date, 'bench', 0)
`.execute(warehouse);
await sql`
  insert into etl.walks (run_id, account_id, run_date, day, started_at) values (1, 1, current_date, current_date, now())
`.execute(warehouse);

const began = performance.now();
for (let first = 0; first < fetches.length; first += atOnce) {
  const some = fetches.slice(first, first + atOnce);
  await inTransaction(warehouse, (transaction) => archiveResponses(transaction, some));
}
process.stdout.write(`{"workMs":${performance.now() - began}}\n`);
await warehouse.destroy();
