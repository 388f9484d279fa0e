import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import pg from 'pg';
import type { Environment } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createContext } from '../../src/job/run/app-context.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/server/start.ts';
import { createLogger } from '../../src/support/logger.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { createDatabase } from '../support/database.ts';
import { readTimeout } from './served.ts';

/** To whom the digests of `fill.ts` go. */
export const recipients = 'ana@example.com,ben@example.com,cora@example.com,dan@example.com';

/** A server over a database. */
export type Site = {
  readonly url: string;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Asks again where the server gave up: on a busy machine, a read may take longer than its five seconds. */
  text(path: string): Promise<string>;
  close(): Promise<void>;
};

/** A server over a warehouse of its own, which can be filled. */
export type FilledSite = Site & {
  readonly databaseUrl: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Drops the database under the server. */
  drop(): Promise<void>;
};

/** Serves what is at `databaseUrl`, on any free port. */
export async function serve(
  databaseUrl: string,
  options: Partial<ServerOptions> = {},
  settings: Environment = {},
  log = createLogger('silent', 'json', createRedactor()),
): Promise<Site> {
  const redactor = createRedactor();
  const environment = { DIGEST_TO: recipients, ...settings, DATABASE_URL: databaseUrl };
  const loaded = loadConfig(environment, { service: false }, redactor);
  const app = createContext(loaded, databaseUrl, log);
  const serverOptions = {
    host: '127.0.0.1',
    port: 0,
    names: [],
    token: null,
    nextRun: () => null,
    readTimeout,
    ...options,
  };
  const server: RunningServer = await startServer(app, serverOptions).catch(async (error: unknown) => {
    await app.warehouse.destroy();
    throw error;
  });
  const get: Site['get'] = (path, init) => fetch(`${server.url}${path}`, { redirect: 'manual', ...init });
  return {
    url: server.url,
    get,
    text: async (path) => await (await get(path)).text(),
    async close() {
      await server.close();
      await app.warehouse.destroy();
    },
  };
}

/** What is at these paths, over a warehouse that can be read. */
export async function readPages<const Paths extends readonly string[]>(
  databaseUrl: string,
  paths: Paths,
  settings: Environment = {},
): Promise<{ [Path in keyof Paths]: string }> {
  const site = await serve(databaseUrl, {}, settings);
  try {
    const texts: string[] = [];
    for (const path of paths) texts.push(await site.text(path));
    return texts as { [Path in keyof Paths]: string };
  } finally {
    await site.close();
  }
}

export async function openSite(options: Partial<ServerOptions> = {}): Promise<FilledSite> {
  const database = await createDatabase({ template: 'migrated' });
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => {});
  await client.connect();
  const site = await serve(database.url, options);
  return {
    ...site,
    databaseUrl: database.url,
    query: async (text, values) => (await client.query(text, values)).rows,
    drop: database.drop,
    async close() {
      await site.close();
      await client.end();
      await database.drop();
    },
  };
}

/** A free port, below those that the system hands out: no other test gets it before the program listens there. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
