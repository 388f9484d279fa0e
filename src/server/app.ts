import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import type { AppContext } from '../job/run/app-context.ts';
import { isDay } from '../model/day.ts';
import { Failure } from '../model/errors.ts';
import { readCoveredDay } from '../warehouse/queries/coverage.ts';
import { ownHostOnly, readsOnly, requireToken, strictHeaders } from './guard.ts';
import { expose, expositionType, type Sample, sample, takeSamples } from './metrics.ts';
import { dayPage } from './page/day.ts';
import type { PageTime } from './page/elements.ts';
import { readOverview } from './page/overview.ts';
import { overviewPage, unavailablePage } from './page/page.ts';
import { readWarehouse, shared } from './read.ts';

/** What the server uses of the app context. */
export type ServerInput = Pick<AppContext, 'warehouse' | 'config' | 'clock' | 'log'>;

export type AppOptions = {
  /** Host names of the server, beside `localhost` and plain addresses. */
  readonly names: readonly string[];
  /** Null if none is required. */
  readonly token: string | null;
  readonly nextRun: () => Temporal.Instant | null;
};

const asset = (name: string) => readFileSync(path.join(import.meta.dirname, 'page', name), 'utf8');

/** The routes: the page, the metrics, `/readyz` and `/healthz`; every route except `/healthz` requires the token. */
export function createApp({ warehouse, config, clock, log }: ServerInput, options: AppOptions): Hono {
  const time = (): PageTime => ({
    now: clock(),
    timeZone: config.planning.timeZone,
    nextRun: options.nextRun(),
  });
  const overview = shared(async () =>
    overviewPage(await readWarehouse(warehouse, (snapshot) => readOverview(snapshot, time()))),
  );
  const samples = shared(() => readWarehouse(warehouse, takeSamples));
  const [style, icon] = [asset('style.css'), asset('icon.svg')];

  const routes = new Hono();
  routes.use(strictHeaders, readsOnly, ownHostOnly(options.names));
  routes.get('/healthz', (context) => context.text('alive\n'));
  if (options.token !== null) routes.use(requireToken(options.token));
  routes.use(async (context, next) => {
    context.header('Cache-Control', 'no-store');
    await next();
  });
  routes.use(compress());
  routes.get('/style.css', (context) =>
    context.body(style, 200, { 'Content-Type': 'text/css; charset=utf-8' }),
  );
  routes.get('/icon.svg', (context) => context.body(icon, 200, { 'Content-Type': 'image/svg+xml' }));
  routes.get('/', async (context) => context.html(await overview()));
  routes.get('/days/:day/:account', async (context) => {
    const { day, account } = context.req.param();
    const found = isDay(day)
      ? await readWarehouse(warehouse, (snapshot) => readCoveredDay(snapshot, account, day))
      : null;
    return found === null ? context.notFound() : context.html(await dayPage(found, time()));
  });
  routes.get('/readyz', async (context) => {
    await readWarehouse(warehouse, async () => {});
    return context.text('ready\n');
  });
  routes.get('/metrics', async (context) => {
    const taken = await samples().catch((error: unknown): Sample[] => {
      if (error instanceof Failure) return [sample('callsheet_database_up', 0)];
      throw error;
    });
    return context.body(await expose(taken), 200, { 'Content-Type': expositionType });
  });
  routes.notFound((context) => context.text('not found\n', 404));
  routes.onError(async (error, context) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (!(error instanceof Failure)) {
      log.error(`server: internal error: ${error.stack}`);
      return context.text('an internal error of Callsheet: see its log\n', 500);
    }
    if (context.req.path === '/readyz') return context.text(`${error.line}\n`, 503);
    return context.html(await unavailablePage(error, time()), 503);
  });
  return routes;
}
