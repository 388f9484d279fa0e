import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { alerts, digests, mails } from './mails.ts';
import { overflowing, violations } from './pages.ts';

/** A folder for the mails and their pictures: CONTRIBUTING.md says how to look at them. */
const pictures = process.env.SCREENSHOTS;

let browser: Browser;
let page: Page;
const requested: string[] = [];
beforeAll(async () => {
  browser = await openBrowser();
  if (pictures) await mkdir(pictures, { recursive: true });
  page = await browser.newPage();
  page.on('request', (request) => requested.push(request.url()));
});
afterAll(() => browser.close());

/** What axe looks at, fonts, colours and roles, is the same at each width. */
const looks = [
  { width: 390, scheme: 'light', examined: true },
  { width: 640, scheme: 'dark', examined: true },
  { width: 390, scheme: 'dark', examined: false },
  { width: 640, scheme: 'light', examined: false },
] as const;

/** A narrow phone's page, in pixels; Gmail cuts a mail at 102 KB. */
const [maxHeight, maxBytes] = [3_000, 90_000];

const kinds = [
  ...Object.keys(digests).flatMap((name) => [
    { name, locale: 'en-GB' },
    { name, locale: 'es' },
  ]),
  ...Object.keys(alerts).map((name) => ({ name, locale: 'en-GB' })),
];

test.each(kinds)(
  '$name in $locale is readable for everybody, fits, and makes no requests',
  async ({ name, locale }) => {
    const { html, subject, text } = await mails[name]!(locale);
    const file = path.join(pictures ?? '', `${name.replaceAll(/\W+/g, '-')}-${locale}`);
    if (pictures) await writeFile(`${file}.txt`, `${subject}\n\n${text}`);
    requested.length = 0;
    await page.setContent(html, { waitUntil: 'load' });
    for (const { width, scheme, examined } of looks) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: scheme });
      expect(await overflowing(page), `${width} px`).toEqual([]);
      if (examined && locale === 'en-GB')
        expect(await violations(page), `${width} px, ${scheme}`).toEqual([]);
      if (pictures) await page.screenshot({ path: `${file}-${width}-${scheme}.png`, fullPage: true });
      if (width === 390 && name in digests)
        expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(maxHeight);
    }
    const ground = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('.card')).backgroundColor`,
    );
    expect(ground).toBe('rgb(255, 255, 255)');
    expect(requested.filter((url) => !url.startsWith('data:'))).toEqual([]);
    expect(html.replace(/data:image[^"]*/, '').length).toBeLessThan(maxBytes);
  },
);

test('the chart is as wide as its column, and a dark reader gets a dark page', async () => {
  await page.setContent((await mails['a busy day']!()).html, { waitUntil: 'load' });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 640, height: 800 });
  const size = () =>
    page.evaluate<number[]>(
      `[document.querySelector('img').clientWidth, document.querySelector('img').clientHeight]`,
    );
  expect(await size()).toEqual([544, 296]);
  const ground = await page.evaluate<string>(
    `getComputedStyle(document.querySelector('.card')).backgroundColor`,
  );
  expect(ground).toBe('rgb(24, 30, 38)');
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await size()).toEqual([358, 195]);
});
