import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { shortName } from '../config/formats.ts';
import type { AppContext } from '../job/run/app-context.ts';
import { isDay } from '../model/day.ts';
import { Failure, lineOf } from '../model/errors.ts';
import { ownHostOnly, ownSiteOnly, readsOnly, requireToken, strictHeaders } from './guard.ts';
import { expose, expositionType, sample, takeSamples } from './metrics.ts';
import { type Packed, pack, sendPacked } from './packed.ts';
import { dayPage } from './page/day.ts';
import type { PageTime } from './page/elements.ts';
import { readOverview } from './page/overview.ts';
import { overviewPage, unavailablePage } from './page/page.ts';
import { readDay } from './page/read-day.ts';
import { Busy, readWarehouse, shareReads } from './read.ts';

/** What the routes use of the app context. */
export type AppInput = Pick<AppContext, 'warehouse' | 'config' | 'clock' | 'log'>;

export type AppOptions = {
  /** Host names of the server, beside `localhost` and plain addresses. */
  readonly names: readonly string[];
  /** Null if none is required. */
  readonly token: string | null;
  readonly nextRun: () => Temporal.Instant | null;
  /** For how long what was read is served again; a second by default. */
  readonly keepMs?: number;
};

const asset = (name: string) => readFileSync(path.join(import.meta.dirname, 'page', 'assets', name), 'utf8');

/** How many pages of days are read at once. */
const maxDays = 4;

/** The routes: the page, the metrics, `/readyz` and `/healthz`; every route except `/healthz` requires the token. */
export function createApp({ warehouse, config, clock, log }: AppInput, options: AppOptions): Hono {
  const time = (): PageTime => ({
    now: clock(),
    timeZone: config.planning.timeZone,
    nextRun: options.nextRun(),
  });
  const { keepMs = 1_000 } = options;
  const single = { maxAtOnce: 1, keepMs };
  const context = { config, clock };
  const overview = shareReads(
    async () =>
      pack(
        await overviewPage(
          await readWarehouse(warehouse, (snapshot) => readOverview(snapshot, time(), context)),
        ),
      ),
    single,
  );
  const exposition = shareReads(
    async () =>
      pack(await expose(await readWarehouse(warehouse, (snapshot) => takeSamples(snapshot, context)))),
    single,
  );
  const readiness = shareReads(() => readWarehouse(warehouse, async () => 'ready\n'), single);
  const coveredDay = shareReads(
    async (dayAndAccount) => {
      const [day, account] = dayAndAccount.split('/') as [string, string];
      return await readWarehouse(warehouse, (snapshot) => readDay(snapshot, account, day, context));
    },
    { maxAtOnce: maxDays, keepMs },
  );
  const [style, icon, script] = [asset('style.css'), asset('icon.svg'), asset('refresh.js')];

  const routes = new Hono();
  routes.use(strictHeaders, readsOnly, ownHostOnly(options.names), ownSiteOnly);
  routes.get('/healthz', (context) => context.text('alive\n'));
  if (options.token !== null) routes.use(requireToken(options.token, log));
  routes.use(async (context, next) => {
    context.header('Cache-Control', 'no-store');
    await next();
  });
  routes.get('/style.css', (context) =>
    context.body(style, 200, { 'Content-Type': 'text/css; charset=utf-8' }),
  );
  routes.get('/icon.svg', (context) => context.body(icon, 200, { 'Content-Type': 'image/svg+xml' }));
  routes.get('/refresh.js', (context) =>
    context.body(script, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }),
  );
  routes.get('/', async (context) => sendPacked(context, await overview('page'), 'text/html; charset=utf-8'));
  routes.get('/days/:day/:account', async (context) => {
    const { day, account } = context.req.param();
    const exists = isDay(day) && shortName.safeParse(account).success;
    const found = exists ? await coveredDay(`${day}/${account}`) : null;
    if (found === null) return context.notFound();
    return context.html(await dayPage(found, time()));
  });
  routes.get('/readyz', async (context) => context.text(await readiness('readiness')));
  routes.get('/metrics', async (context) => {
    const packed = await exposition('metrics').catch(withoutDatabase);
    return sendPacked(context, packed, expositionType);
  });
  routes.notFound((context) => context.text('not found\n', 404));
  routes.onError(async (error, context) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof Busy) return context.text('busy, try again\n', 503, { 'Retry-After': '1' });
    if (!(error instanceof Failure)) {
      log.error(`server: internal error: ${error.stack}`);
      return context.text('an internal error of Callsheet: see its log\n', 500);
    }
    if (context.req.path === '/readyz') return context.text(`${lineOf(error)}\n`, 503);
    return context.html(await unavailablePage(error, time()), 503);
  });
  return routes;
}

/** The one sample that is left where the warehouse can't be read. */
async function withoutDatabase(error: unknown): Promise<Packed> {
  if (error instanceof Failure) return await pack(await expose([sample('callsheet_database_up', 0)]));
  throw error;
}
