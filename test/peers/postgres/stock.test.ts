import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startService, tokenOf } from '../../../bench/fixed-responses.ts';
import type { Environment } from '../../../src/config/environment.ts';
import { parseExposition } from '../../server/exposition.ts';
import { freePort } from '../../server/site.ts';
import { callsheet, runIn, startCallsheet } from '../../support/callsheet.ts';
import { queryAt } from '../../support/database.ts';
import { blocksOf, readDocument } from '../../support/documents.ts';
import { type KeptPostgres, keepPostgres } from '../../support/postgres-keeper.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts';
import { stockPrograms } from './stock.ts';

/** A hundred accounts on an installed Postgres that would compile every statement, however cheap. */
const accounts = Array.from({ length: 100 }, (_, index) => ({
  name: `office-${index + 1}`,
  sidtoken: tokenOf(index + 1),
}));
const settings = { shared_preload_libraries: 'pg_stat_statements', jit_above_cost: 0 };

let folder: string;
let postgres: KeptPostgres;
let pooler: PgBouncer;
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  folder = await scratchFolder('callsheet-stock-');
  const binaries = await stockPrograms();
  [postgres, service] = await Promise.all([
    keepPostgres({ directory: path.join(folder, 'server'), binaries, settings, temporary: true }),
    startService({ clients: 20, campaigns: 20 }),
  ]);
  pooler = await startPgBouncer(postgres.adminUrl);
  await query('postgres', 'create extension pg_stat_statements');
});
afterAll(async () => {
  await pooler?.stop();
  await service?.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

const urlOf = (name: string) => Object.assign(new URL(postgres.adminUrl), { pathname: name }).href;

const query = (database: string, text: string) => queryAt(urlOf(database), text);

/** The statements on a database, and those of them that Postgres compiled. */
async function statementsOn(database: string) {
  const rows = await query(
    'postgres',
    `select query, jit_functions::int as functions from pg_stat_statements
     where dbid = (select oid from pg_database where datname = '${database}')`,
  );
  return { all: rows.length, compiled: rows.filter(({ functions }) => functions > 0) };
}

async function environmentOf(database: string): Promise<Environment> {
  await query('postgres', `create database ${database}`);
  const accountsFile = path.join(folder, `${database}.json`);
  await writeFile(accountsFile, JSON.stringify(accounts), { mode: 0o600 });
  return {
    SERVICE_BASE_URL: service.url,
    ACCOUNTS_FILE: accountsFile,
    DATABASE_URL: urlOf(database),
    OUTBOX_DIR: path.join(folder, `${database}-outbox`),
    DIGEST_TO: 'ana@example.com',
    LOG_FORMAT: 'json',
  };
}

/** The page and the metrics of `schedule`, as they are served. */
async function serve(environment: Environment): Promise<{ page: Response; metrics: string }> {
  const port = await freePort();
  const child = startCallsheet(['schedule'], { ...environment, HTTP_PORT: String(port) });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface(child.stderr)) if (line.includes('waiting for')) break;
  const page = await fetch(`http://127.0.0.1:${port}/`);
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  return { page, metrics };
}

describe.each([
  ['directly', (url: string) => url],
  ['through PgBouncer in transaction mode', (url: string) => pooler.url(url)],
])('a hundred accounts on a stock Postgres, reached %s', (way, by) => {
  it('are migrated, loaded, shown and scraped, and no statement is compiled', async () => {
    const database = way === 'directly' ? 'stock' : 'pooled';
    const direct = await environmentOf(database);
    const environment = {
      ...direct,
      DATABASE_URL: by(direct.DATABASE_URL!),
      MIGRATE_DATABASE_URL: direct.DATABASE_URL,
    };
    expect(await callsheet(['migrate', '--queue'], environment)).toMatchObject({ code: 0 });
    expect(await callsheet(['run'], environment)).toMatchObject({ code: 0 });
    const status = await callsheet(['status'], environment);
    expect(status).toMatchObject({ code: 0, stdout: expect.stringMatching(/^All good/) });
    const { page, metrics } = await serve(environment);
    expect([page.status, await page.text()]).toEqual([200, expect.stringMatching(/<h1>All good: /)]);
    expect(parseExposition(metrics).get('callsheet_database_up')!.samples).toMatchObject([{ value: 1 }]);

    const { all, compiled } = await statementsOn(database);
    expect(all).toBeGreaterThan(80);
    expect(compiled).toEqual([]);
  });
});

it('compiles the statements of a role that has not switched it off', async () => {
  const direct = await environmentOf('compiling');
  expect(await callsheet(['migrate'], direct)).toMatchObject({ code: 0 });
  await query('compiling', 'alter role current_user in database compiling reset jit');
  await query('compiling', 'select * from warehouse.coverage');
  expect((await statementsOn('compiling')).compiled).not.toEqual([]);
});

it('a superuser makes role and database as docs/install.md says, and no more is needed', async () => {
  const [making] = blocksOf(readDocument('docs/install.md'), 'sh');
  const { hostname, port, username, password } = new URL(postgres.adminUrl);
  // The server has a role of this name. Without a terminal, the password is read from the input.
  const typed = ['--wait', 'sh', '-ec', making!.replaceAll('callsheet', 'nightly')];
  const settings = {
    PATH: `${await stockPrograms()}:${process.env.PATH}`,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: password,
  };
  const made = await runIn('.', 'setsid', typed, settings, 'role-s3cret\nrole-s3cret\n');
  expect(made).toMatchObject({ code: 0 });
  const url = Object.assign(new URL(urlOf('nightly')), { username: 'nightly', password: 'role-s3cret' });
  const environment = { ...(await environmentOf('unused')), DATABASE_URL: url.href };
  for (const command of ['migrate', 'run'])
    expect({ command, ...(await callsheet([command], environment)) }).toMatchObject({ command, code: 0 });
});
