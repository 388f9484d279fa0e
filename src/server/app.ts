import { readFileSync } from 'node:fs';
import path from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import { readState, type State } from '../job/alerts/read-alerts.ts';
import type { AppContext } from '../job/run/app-context.ts';
import { requireSchema } from '../job/run/database.ts';
import { Failure, lineOf } from '../model/errors.ts';
import type { Queries } from '../warehouse/db/database.ts';
import { inSnapshot, unlessTooSlow } from '../warehouse/db/transaction.ts';
import { requireWritable } from '../warehouse/db/writable.ts';
import { warehouseFailure } from '../warehouse/failures.ts';
import { ownHostOnly, ownSiteOnly, readsOnly, requireToken, strictHeaders } from './guard.ts';
import { expose, expositionType, sample, stateSamples, takeSamples } from './metrics.ts';
import type { PageTime } from './page/elements.ts';
import { readBesides } from './page/overview.ts';
import { overviewPage, partialPage, unavailablePage } from './page/page.ts';

export type AppOptions = {
  /** Host names of the server, besides `localhost` and IP addresses. */
  readonly names: readonly string[];
  /** Null if none is required. */
  readonly token: string | null;
  readonly nextRun: () => Temporal.Instant | null;
  /** The text of the page if there is no next run. */
  readonly unscheduled?: string;
  /** Maximum time of a statement, in Postgres syntax; 5 s without it. */
  readonly readTimeout?: string;
};

const assets = path.join(import.meta.dirname, 'page', 'assets');

/** The chapter of an alert in the documents: from the heading with its code to the next heading; null if it has none. */
function readChapter(code: string): string | null {
  if (!/^[A-Z_]+$/.test(code)) return null;
  const file = path.join(import.meta.dirname, '..', '..', 'docs', 'operations.md');
  const chapters = readFileSync(file, 'utf8').split(/^(?=#{2,4} )/m);
  const chapter = chapters.find((each) => each.split('\n', 1)[0]!.split(/\W+/).includes(code));
  // It is shown as text: a link is its words, and the document that it leads to.
  return chapter?.replace(/^#+ /, '').replace(/\[([^\]]*)\]\(([^)#]*)[^)]*\)/g, asWords) ?? null;
}

const asWords = (_: string, words: string, file: string) => (file === '' ? words : `${words} (docs/${file})`);

/** Serves the page, the metrics, `/readyz` and `/healthz`. All routes but `/healthz` require the token. */
export function createApp(app: AppContext, options: AppOptions): Hono {
  const { warehouse, config, clock, log } = app;
  const time = (): PageTime => ({
    now: clock(),
    timeZone: config.planning.timeZone,
    nextRun: options.nextRun(),
    unscheduled: options.unscheduled,
    installation: config.alerts.installation,
  });
  /**
   * Reads one snapshot. Throws a Failure if the database can't be reached, or if its schema isn't this version's. Each
   * statement ends after `readTimeout`, so that no connection stays in use.
   */
  async function read<T>(work: (snapshot: Queries) => Promise<T>): Promise<T> {
    try {
      return await inSnapshot(warehouse, options.readTimeout ?? '5s', async (snapshot) => {
        await requireSchema(snapshot);
        return await work(snapshot);
      });
    } catch (error) {
      throw error instanceof Failure ? error : (warehouseFailure(error) ?? error);
    }
  }

  /**
   * Reads one snapshot, and looks again if the last run seems interrupted: the run lock is no part of a snapshot, so a run that ends
   * meanwhile has no end and no lock. It records its end before it releases the lock: a second snapshot has it. What is shown besides
   * comes first; the state is null if it takes too long.
   */
  async function readWithState<T>(
    work: (snapshot: Queries) => Promise<T>,
  ): Promise<{ readonly state: State | null; readonly result: T }> {
    const look = async (snapshot: Queries) => {
      const result = await work(snapshot);
      return { result, state: await unlessTooSlow(snapshot, () => readState(snapshot, app)) };
    };
    const first = await read(look);
    return first.state?.lastRun?.isInterrupted ? await read(look) : first;
  }

  const routes = new Hono();
  routes.use(strictHeaders, readsOnly, ownHostOnly(options.names), ownSiteOnly);
  routes.get('/healthz', (context) => context.text('alive\n'));
  if (options.token !== null) routes.use(requireToken(options.token, log));
  routes.use(async (context, next) => {
    context.header('Cache-Control', 'no-store');
    await next();
  }, compress());
  for (const file of ['/style.css', '/icon.svg']) routes.get(file, serveStatic({ root: assets }));
  routes.get('/', async (context) => {
    const { state, result } = await readWithState(readBesides);
    return context.html(
      await (state === null
        ? partialPage({ ...time(), ...result })
        : overviewPage({ ...time(), ...state, ...result })),
    );
  });
  routes.get('/operations/:code', (context) => {
    const chapter = readChapter(context.req.param('code'));
    return chapter === null ? context.notFound() : context.text(chapter);
  });
  routes.get('/readyz', async (context) => {
    await read(requireWritable);
    return context.text('ready\n');
  });
  routes.get('/metrics', async (context) => {
    const samples = await readWithState((snapshot) => takeSamples(snapshot, app))
      .then(({ state, result }) => [...result, ...(state === null ? [] : stateSamples(state))])
      .catch((error: unknown) => {
        if (error instanceof Failure) return [sample('callsheet_database_up', 0)];
        throw error;
      });
    return context.body(await expose(samples), 200, { 'Content-Type': expositionType });
  });
  routes.notFound((context) =>
    context.text('not found: the page is at /, and the metrics are at /metrics\n', 404),
  );
  routes.onError(async (error, context) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (!(error instanceof Failure)) {
      log.error(`server: internal error: ${error.stack}`);
      return context.text('internal error of Callsheet: see its log\n', 500);
    }
    if (context.req.path === '/readyz') return context.text(`${lineOf(error)}\n`, 503);
    return context.html(await unavailablePage(error, time()), 503);
  });
  return routes;
}
