import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { mails } from './digest/mails.ts';
import { openBrowser } from './support/browser.ts';
import { startCallsheet } from './support/callsheet.ts';
import { scratchFolder } from './support/scratch.ts';

// `npm run pictures` draws the pictures of the documents: of mails, and of the demo's page and warehouse.

const folder = path.resolve(import.meta.dirname, '../docs');

const pictures = [
  ['digest.png', 'a day with a change', 'en-GB', 640, 'light'],
  ['digest-dark.png', 'a day with every kind of news', 'en-GB', 640, 'dark'],
  ['digest-week.png', 'a week', 'es', 390, 'light'],
  ['digest-incomplete.png', 'an incomplete day', 'en-GB', 390, 'light'],
] as const;

const query = `select a.label as account, c.day, c.state, c.held, c.restated,
  d.listed_campaigns as campaigns, d.attempts, d.connects, round(d.connect_rate, 3) as rate
from warehouse.coverage c
join warehouse.accounts a using (account_id)
left join warehouse.account_days d using (account_id, day)
order by c.day desc, account limit 9`;

const browser = await openBrowser();
for (const [name, kind, locale, width, colorScheme] of pictures) {
  const page = await browser.newPage({ viewport: { width, height: 1150 }, colorScheme });
  await page.setContent((await mails[kind]!(locale)).html, { waitUntil: 'load' });
  await draw(page, name, 1150);
}

const mail = await browser.newPage({ viewport: { width: 640, height: 1150 }, colorScheme: 'light' });
await mail.setContent((await mails['a day with every kind of news']!('en-GB')).html, { waitUntil: 'load' });
const beginning = await mail.screenshot({ clip: { x: 0, y: 0, width: 640, height: 848 } });
const { y: movedAt } = (await mail.getByText('What moved', { exact: true }).boundingBox())!;
const clip = { x: 20, y: movedAt - 8, width: 600, height: 174 };
const moved = await mail.screenshot({ clip, fullPage: true });

const place = await scratchFolder('callsheet-pictures-');
const demo = startCallsheet(['demo', '--keep'], {}, place);
const printed = await printedUntil('psql');
const openPage = () => browser.newPage({ viewport: { width: 1000, height: 1240 }, colorScheme: 'light' });

const [, address] = /the operator's page\n {4}(\S+)/.exec(printed)!;
const operatorsPage = await openPage();
await operatorsPage.goto(address!);
await draw(operatorsPage, 'page.png', 1240);
await operatorsPage.setViewportSize({ width: 760, height: 1240 });
const toCheck = (await operatorsPage.locator('section', { hasText: /^To check/ }).boundingBox())!;
const todo = await operatorsPage.screenshot({
  clip: { x: 0, y: 36, width: 760, height: toCheck.y + toCheck.height - 26 },
});

const both = await browser.newPage({ viewport: { width: 1300, height: 895 }, colorScheme: 'light' });
await both.setContent(sideBySide(beginning, moved, todo), { waitUntil: 'load' });
await draw(both, 'callsheet.png', 895);

const client = new pg.Client({ connectionString: /psql '(\S+)'/.exec(printed)![1]! });
await client.connect();
// Values as Postgres writes them.
const types = { getTypeParser: () => (value: string | Buffer) => value };
const { rows, fields } = await client.query<Record<string, unknown>>({ text: query, types });
await client.end();
const table = await openPage();
await table.setContent(asTable(query, fields, rows));
const { height } = (await table.locator('main').boundingBox())!;
await draw(table, 'warehouse.png', Math.ceil(height));

await browser.close();
demo.kill('SIGTERM');
await once(demo, 'close');
await rm(place, { recursive: true, force: true });

async function draw(page: Page, name: string, height: number): Promise<void> {
  const clip = { x: 0, y: 0, width: page.viewportSize()!.width, height };
  await page.screenshot({ path: path.join(folder, name), clip });
}

/** What a manager gets, and what an operator sees. */
function sideBySide(beginning: Buffer, moved: Buffer, todo: Buffer): string {
  const picture = (png: Buffer) => `<img src="data:image/png;base64,${png.toString('base64')}">`;
  return `<style>
    body { margin: 0; padding: 20px; background: #dfe4ec; display: flex; gap: 24px; color: #414b5c }
    body { font: 600 17px/1.4 'DejaVu Sans', sans-serif }
    img { display: block; width: 618px; border-radius: 10px; box-shadow: 0 2px 10px #1c233033; margin: 6px 0 14px }
  </style>
  <div>The manager's mail${picture(beginning)}</div>
  <div>… and what changed, campaign by campaign${picture(moved)}
    The operator's page, and alerts: what to type${picture(todo)}</div>`;
}

async function printedUntil(word: string): Promise<string> {
  let printed = '';
  demo.stdout.setEncoding('utf8');
  for await (const piece of demo.stdout.iterator({ destroyOnReturn: false })) {
    printed += piece;
    if (printed.includes(word)) break;
  }
  return printed;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

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
