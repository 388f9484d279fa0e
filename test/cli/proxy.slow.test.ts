import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet, npmStart, runIn } from '../support/callsheet.ts';
import { scratchFolder } from '../support/scratch.ts';
import { startSimulator } from '../support/simulator.ts';

/** Nobody resolves this name, except the proxy. */
const serviceHost = 'service.invalid';

it('a proxy that .env names leads to a service that nothing else reaches', async ({ onTestFinished }) => {
  const simulator = await startSimulator();
  onTestFinished(() => simulator.close());
  const service = new URL(simulator.url);
  const reached: string[] = [];
  const proxy = http.createServer((request, response) => {
    // A proxy gets the whole address.
    const { host, pathname, search } = new URL(request.url!);
    reached.push(host);
    http.get(new URL(pathname + search, service), { headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());

  const folder = await scratchFolder('callsheet-proxy-');
  const settings = [
    `SERVICE_BASE_URL=http://${serviceHost}${service.pathname}`,
    `SIDTOKEN=${generateDataset().accounts[0]!.token}`,
    'ALLOW_INSECURE_HTTP=true',
    'RETRIES=0',
    `HTTP_PROXY=http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  ];
  const clients = async (...further: string[]) => {
    await writeFile(path.join(folder, '.env'), [...settings, ...further].join('\n'));
    return await runIn(folder, process.execPath, [...npmStart, 'clients', '--format', 'json']);
  };
  const without = await clients();
  expect([without.code, reached]).toEqual([69, []]);
  expect(without.stderr).toContain('set HTTPS_PROXY and NODE_USE_ENV_PROXY=1');
  const through = await clients('NODE_USE_ENV_PROXY=1');
  expect(through.code).toBe(0);
  expect(new Set(reached)).toEqual(new Set([serviceHost]));
});

it('a proxy that demands a login is distinguished from a service that cannot be reached', async ({
  onTestFinished,
}) => {
  const proxy = http.createServer();
  proxy.on('connect', (_, socket) => {
    socket.on('error', () => {}).end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  const refused = await callsheet(['clients'], {
    SERVICE_BASE_URL: `https://${serviceHost}/api`,
    SIDTOKEN: 'a-token-of-an-account',
    RETRIES: '0',
    HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    NODE_USE_ENV_PROXY: '1',
  });
  expect(refused.code).toBe(69);
  expect(refused.stderr).toMatch(/the outgoing proxy refuses the request \(status 407\): .*HTTPS_PROXY/);
});
