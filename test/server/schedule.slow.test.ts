import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { startCallsheet } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';
import { parseExposition } from './exposition.ts';
import { freePort } from './site.ts';

const token = 'page-t0ken/of+16';

it('schedule serves the page, the metrics and its health until it is terminated: 143', async () => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const port = await freePort();
  const child = startCallsheet(['schedule'], {
    ...world.environment,
    HTTP_PORT: String(port),
    HTTP_TOKEN: token,
    SCHEDULE: '* * * * * *',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface(child.stderr)) if (/"msg":"done in /.test(line)) break;
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  expect(await get('/healthz')).toEqual({ status: 200, text: 'alive\n' });
  expect(await get('/readyz')).toEqual({ status: 200, text: 'ready\n' });
  const page = await get('/');
  expect([page.status, page.text]).toEqual([200, expect.stringMatching(/<h1>All good: /)]);
  expect(page.text).toMatch(/Next run \w{3} \d/);
  const metrics = parseExposition((await get('/metrics')).text);
  expect(metrics.get('callsheet_last_run_exit_code')!.samples[0]).toMatchObject({ value: 0 });
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(143);
});
