import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mails } from './digest/mails.ts';
import { openBrowser } from './support/browser.ts';
import { startCallsheet } from './support/callsheet.ts';
import { scratchFolder } from './support/scratch.ts';

/** Where the pictures of mails, page and warehouse go: to `docs` by `npm run pictures`, else nowhere. */
const folder =
  process.env.npm_lifecycle_event === 'pictures' ? path.resolve(import.meta.dirname, '../docs') : null;

const query = `select a.label as account, c.day, c.state, c.held, c.restated,
  d.campaigns, d.attempts, d.connects, round(d.connect_rate, 3) as rate
from warehouse.coverage c
join warehouse.accounts a using (account_id)
left join warehouse.account_days d using (account_id, day)
order by c.day desc, account limit 9`;

let place: string;
let demo: ReturnType<typeof startCallsheet>;
let printed = '';
let browser: Browser;
beforeAll(async () => {
  place = await scratchFolder('callsheet-pictures-');
  demo = startCallsheet(['demo', '--keep'], {}, place);
  demo.stdout.setEncoding('utf8');
  for await (const piece of demo.stdout.iterator({ destroyOnReturn: false })) {
    printed += piece;
    if (printed.includes('psql')) break;
  }
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  demo.kill('SIGTERM');
  await once(demo, 'close');
  await rm(place, { recursive: true, force: true });
});

const openPage = () => browser.newPage({ viewport: { width: 1000, height: 760 }, colorScheme: 'light' });

async function draw(page: Page, name: string, height: number): Promise<void> {
  const clip = { x: 0, y: 0, width: page.viewportSize()!.width, height };
  if (folder !== null) await page.screenshot({ path: path.join(folder, name), clip });
}

it.each([
  ['digest.png', 'a quiet day', 'en-GB', 640, 'light'],
  ['digest-dark.png', 'a day with every kind of news', 'en-GB', 640, 'dark'],
  ['digest-week.png', 'a week', 'es', 390, 'light'],
  ['digest-incomplete.png', 'an incomplete day', 'en-GB', 390, 'light'],
] as const)('%s is the beginning of %s', async (name, kind, locale, width, colorScheme) => {
  const page = await browser.newPage({ viewport: { width, height: 1150 }, colorScheme });
  await page.setContent((await mails[kind]!(locale)).html, { waitUntil: 'load' });
  expect(await page.evaluate('document.body.scrollHeight')).toBeGreaterThan(1150);
  await draw(page, name, 1150);
});

it('the operator’s page of the demo can be drawn', async () => {
  const [, address] = /the operator's page\n {4}(\S+)/.exec(printed)!;
  const page = await openPage();
  await page.goto(address!);
  expect(await page.locator('h1').count()).toBe(1);
  expect(await page.textContent('body')).toContain('Token refused');
  await draw(page, 'page.png', 760);
});

it('a query on the warehouse of the demo can be drawn with its result', async () => {
  const client = new pg.Client({ connectionString: /psql '(\S+)'/.exec(printed)![1]! });
  await client.connect();
  const { rows, fields } = await client.query<Record<string, unknown>>({ text: query, types: asText });
  await client.end();
  expect(rows).toHaveLength(9);
  expect(rows.map(({ state }) => state)).toContain('failed');
  const page = await openPage();
  await page.setContent(asTable(query, fields, rows));
  const { height } = (await page.locator('main').boundingBox())!;
  await draw(page, 'warehouse.png', Math.ceil(height));
});

/** Values as Postgres writes them. */
const asText = { getTypeParser: () => (value: string | Buffer) => value };

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function asTable(
  text: string,
  fields: readonly { name: string }[],
  rows: readonly Record<string, unknown>[],
): string {
  const cell = (value: unknown) => {
    const written = value === null ? '' : ({ t: 'yes', f: '' }[String(value)] ?? String(value));
    return `<td class="${/^[\d.]+$/.test(written) ? 'number' : ''}">${escaped(written)}</td>`;
  };
  const lines = rows.map((row) => `<tr>${fields.map(({ name }) => cell(row[name])).join('')}</tr>`);
  const heads = fields.map(({ name }) => `<th>${name}</th>`).join('');
  return `<style>
    body { margin: 0; background: #f4f5f7; font: 15px/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; color: #1c2330 }
    main { padding: 24px }
    pre, table { background: #fff; border: 1px solid #d9dde5; border-radius: 8px; margin: 0 0 16px; width: 950px }
    pre { padding: 14px 18px; box-sizing: border-box; font: inherit }
    table { border-spacing: 0; font-size: 14px; margin: 0 }
    th, td { text-align: left; padding: 6px 12px; border-bottom: 1px solid #edeff3; font-weight: normal }
    tr:last-child td { border-bottom: 0 }
    th { color: #5b6475 }
    .number { text-align: right }
  </style><main><pre>${escaped(text)}</pre><table><tr>${heads}</tr>${lines.join('')}</table></main>`;
}
