import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openSite } from '../server/site.ts';
import { openBrowser } from '../support/browser.ts';

it('a page of another site can embed and fetch nothing of the server, and link to it', async () => {
  const site = await openSite();
  onTestFinished(() => site.close());
  const page = `<a href="${site.url}/">callsheet</a><img src="${site.url}/icon.svg"><iframe src="${site.url}/"></iframe>
    <script src="${site.url}/metrics"></script><link rel="stylesheet" href="${site.url}/style.css">`;
  // The server listens on 127.0.0.1: to a browser, localhost is another site.
  const other = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(page));
  await once(other.listen(0, 'localhost'), 'listening');
  onTestFinished(() => void other.close());
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const tab = await browser.newPage();
  const statuses: Record<string, number | string> = {};
  tab.on('response', (response) => {
    if (response.url().startsWith(site.url)) statuses[new URL(response.url()).pathname] = response.status();
  });
  tab.on('requestfailed', (request) => {
    statuses[new URL(request.url()).pathname] ??= 'blocked';
  });
  await tab.goto(`http://localhost:${(other.address() as AddressInfo).port}/`, { waitUntil: 'load' });
  const blocked = { '/icon.svg': 'blocked', '/metrics': 'blocked', '/style.css': 'blocked' };
  expect(statuses).toEqual({ ...blocked, '/': 403 });
  await tab.getByRole('link').click();
  await tab.waitForURL(`${site.url}/`);
  expect(statuses).toMatchObject({ '/': 200, '/style.css': 200 });
});
