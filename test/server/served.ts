import type { AppContext } from '../../src/job/run/app-context.ts';
import { scheduledTimesOf } from '../../src/schedule/scheduled-times.ts';
import { createApp } from '../../src/server/app.ts';
import { parseExposition } from './exposition.ts';

/** Only the server's own tests are about how long it waits: elsewhere a busy machine may take longer. */
export const readTimeout = '5min';

/** What `/readyz`, page and metrics of a `schedule` say at this time. */
export async function readServed(app: AppContext) {
  const { schedule: expression, planning } = app.config;
  const times = scheduledTimesOf({ expression, timeZone: planning.timeZone });
  const site = createApp(app, {
    names: [],
    token: null,
    nextRun: () => times.next(app.clock()),
    readTimeout,
  });
  const get = async (path: string) => await site.request(path, { headers: { host: 'localhost' } });
  const page = (await (await get('/')).text()).replaceAll(/<\/?span>/g, '');
  const metrics = parseExposition(await (await get('/metrics')).text());
  const active = metrics.get('callsheet_active_alerts')!.samples.filter(({ value }) => value > 0);
  return {
    ready: (await get('/readyz')).status,
    headline: /<h1>(.*?)<\/h1>/.exec(page)![1]!,
    nextRun: /Next run ([^<]*?\d\d:\d\d)/.exec(page)![1]!,
    alerts: active.map(({ labels }) => labels.code),
    isUp: metrics.get('callsheet_database_up')!.samples[0]!.value,
  };
}
