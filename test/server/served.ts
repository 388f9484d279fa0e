import type { AppContext } from '../../src/job/run/app-context.ts';
import { scheduledTimesOf } from '../../src/schedule/scheduled-times.ts';
import { createApp } from '../../src/server/app.ts';
import { parseExposition } from './exposition.ts';

/** The text of a response. The server gives up a statement after five seconds, as on a busy machine: it is asked again. */
export async function textOf(ask: () => Response | Promise<Response>): Promise<string> {
  for (let tries = 1; ; tries++) {
    const response = await ask();
    const text = await response.text();
    const gaveUp = response.status === 503 || text.includes('callsheet_database_up 0');
    if (!gaveUp || tries === 12) return text;
  }
}

/** What `/readyz`, page and metrics of a `schedule` say at this time. */
export async function readServed(app: AppContext) {
  const { schedule: expression, planning } = app.config;
  const times = scheduledTimesOf({ expression, timeZone: planning.timeZone });
  const site = createApp(app, { names: [], token: null, nextRun: () => times.next(app.clock()) });
  const get = (path: string) => site.request(path, { headers: { host: 'localhost' } });
  const page = (await textOf(() => get('/'))).replaceAll(/<\/?span>/g, '');
  const metrics = parseExposition(await textOf(() => get('/metrics')));
  const active = metrics.get('callsheet_active_alerts')!.samples.filter(({ value }) => value > 0);
  return {
    ready: (await get('/readyz')).status,
    headline: /<h1>(.*?)<\/h1>/.exec(page)![1]!,
    nextRun: /Next run ([^<]*?\d\d:\d\d)/.exec(page)![1]!,
    alerts: active.map(({ labels }) => labels.code),
    isUp: metrics.get('callsheet_database_up')!.samples[0]!.value,
  };
}
