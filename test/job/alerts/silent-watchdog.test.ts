import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createPing } from '../../../src/job/alerts/ping.ts';
import { watchdogKey } from '../../support/watchdog.ts';

it.each<[string, RequestListener]>([
  ['is silent', () => {}],
  ['responds with 503 and never ends its body', (_, response) => void response.writeHead(503).write('{')],
])('a watchdog that %s takes two seconds of a process that is interrupted', async (_, listener) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const warnings: unknown[] = [];
  const { port } = server.address() as AddressInfo;
  const ping = createPing(`http://127.0.0.1:${port}/ping/${watchdogKey}`, {
    warn: (warning: unknown) => void warnings.push(warning),
  });
  const began = performance.now();
  await ping(143, undefined, true);
  expect(performance.now() - began).toBeLessThan(4_000);
  expect(warnings).toEqual([expect.stringContaining('exit code 143 (no response within 2000 ms)')]);
  expect(String(warnings)).not.toContain(watchdogKey);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
