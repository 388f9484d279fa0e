/*
 * Loaders that one writes by hand in an afternoon: they trust `pages` and the shape of each response, and have no archive,
 * ledger, history or mail. `row-by-row` runs an INSERT for each row and a transaction for each response; `unnest` runs one
 * statement over arrays for each response.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';

/** The tables of the loaders and of the COPY floor. */
export const createTables = `
  create table clients (client_id bigint primary key, name text, checksum text, balance numeric);
  create table campaign_days (
    day date, callset_id bigint, campaign text, attempts bigint, busies bigint, connects bigint, live_answers bigint,
    primary key (day, callset_id)
  )`;

const clientFields = ['clientid', 'clientname', 'checksum', 'balance'];
const campaignFields = ['callsetid', 'campaign', 'attempts', 'busies', 'connects', 'liveanswers'];
type Row = Readonly<Record<string, unknown>>;

const insertClients = 'insert into clients (client_id, name, checksum, balance)';
const clientConflict = `on conflict (client_id) do update
  set name = excluded.name, checksum = excluded.checksum, balance = excluded.balance`;
const insertCampaigns =
  'insert into campaign_days (day, callset_id, campaign, attempts, busies, connects, live_answers)';
const campaignConflict = `on conflict (day, callset_id) do update
  set campaign = excluded.campaign, attempts = excluded.attempts, busies = excluded.busies,
    connects = excluded.connects, live_answers = excluded.live_answers`;

const statements = {
  'row-by-row': {
    clients: `${insertClients} values ($1, $2, $3, $4) ${clientConflict}`,
    campaigns: `${insertCampaigns} values ($1, $2, $3, $4, $5, $6, $7) ${campaignConflict}`,
  },
  unnest: {
    clients: `${insertClients}
      select * from unnest($1::bigint[], $2::text[], $3::text[], $4::numeric[]) ${clientConflict}`,
    campaigns: `${insertCampaigns}
      select $1::date, * from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
      ${campaignConflict}`,
  },
};

async function load(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { clients: { type: 'boolean' }, from: { type: 'string' }, to: { type: 'string' } },
  });
  const way = positionals[0] as keyof typeof statements;
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  const write = async (statement: string, rows: readonly Row[], fields: string[], first: unknown[] = []) => {
    if (way === 'unnest') {
      await client.query(statement, [...first, ...fields.map((field) => rows.map((row) => row[field]))]);
      return;
    }
    await client.query('begin');
    for (const row of rows) await client.query(statement, [...first, ...fields.map((field) => row[field])]);
    await client.query('commit');
  };
  for (let page = 1, pages = values.clients ? 1 : 0; page <= pages; page++) {
    const list = await fetchJson('getClients', { limit: '100', page: String(page), balance: 'true' });
    pages = list.pages;
    await write(statements[way].clients, list.data, clientFields);
  }
  for (let day = values.from; day && day <= values.to!; day = dayAfter(day)) {
    const [year, month, date] = day.split('-');
    const wireDate = `${month}-${date}-${year}`;
    const { result } = await fetchJson('campaignSummary', { startdate: wireDate, enddate: wireDate });
    await write(statements[way].campaigns, result, campaignFields, [day]);
  }
  await client.end();
}

async function fetchJson(operation: string, parameters: Record<string, string>) {
  const { SERVICE_BASE_URL, SIDTOKEN = '' } = process.env;
  const response = await fetch(
    `${SERVICE_BASE_URL}/${operation}.wr?${new URLSearchParams({ sidtoken: SIDTOKEN, ...parameters })}`,
  );
  if (!response.ok) throw new Error(`${operation}: status ${response.status}`);
  // biome-ignore lint/suspicious/noExplicitAny: the loaders trust the response.
  return (await response.json()) as any;
}

const dayAfter = (day: string) => Temporal.PlainDate.from(day).add({ days: 1 }).toString();

if (import.meta.main) await load();
