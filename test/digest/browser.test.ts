import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { alerts, digests, mails } from './mails.ts';

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

const looks = [
  { width: 390, scheme: 'light' },
  { width: 640, scheme: 'dark' },
] as const;

/** A narrow phone's page, in pixels; Gmail cuts a mail at 102 KB. */
const [maxHeight, maxBytes] = [2_200, 90_000];

/** One screen and a half, in pixels of a wide window. */
const maxHeights: { readonly [name: string]: number } = {
  'a quiet day': 1_200,
  'a day with a change': 1_200,
  'eighty accounts': 1_300,
};

/** Words are longest in Spanish. */
const kinds = [
  ...Object.keys(digests).map((name) => ({ name, locale: 'es' })),
  ...Object.keys(alerts).map((name) => ({ name, locale: 'en-GB' })),
];

test.each(kinds)('$name in $locale fits narrow and wide, and makes no requests', async ({ name, locale }) => {
  const { html, subject, text } = await mails[name]!(locale);
  const file = path.join(pictures ?? '', `${name.replaceAll(/\W+/g, '-')}-${locale}`);
  if (pictures) await writeFile(`${file}.txt`, `${subject}\n\n${text}`);
  requested.length = 0;
  await page.setContent(html, { waitUntil: 'load' });
  for (const { width, scheme } of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    expect(await overflowing(page), `${width} px`).toEqual([]);
    if (pictures) await page.screenshot({ path: `${file}-${width}-${scheme}.png`, fullPage: true });
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    const most = width === 390 ? maxHeight : (maxHeights[name] ?? Infinity);
    if (name in digests) expect(height, `${width} px`).toBeLessThanOrEqual(most);
  }
  expect(requested.filter((url) => !url.startsWith('data:'))).toEqual([]);
  expect(html.replace(/data:image[^"]*/, '').length).toBeLessThan(maxBytes);
});

// Together they have every colour and every role that a mail may have.
test.each(['a day with every kind of news', 'an incomplete day', 'a corrected day', 'an alert mail'])(
  '%s is readable for everybody, in light and dark',
  async (name) => {
    await page.setContent((await mails[name]!('en-GB')).html, { waitUntil: 'load' });
    for (const { width, scheme } of looks) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: scheme });
      expect(await violations(page), scheme).toEqual([]);
    }
  },
);

test('a dark reader gets a dark page', async () => {
  await page.setContent((await mails['a quiet day']!()).html, { waitUntil: 'load' });
  await page.emulateMedia({ colorScheme: 'dark' });
  const colour = "getComputedStyle(document.querySelector('.card')).backgroundColor";
  expect(await page.evaluate<string>(colour)).toBe('rgb(24, 30, 38)');
});

const axe = createRequire(import.meta.url).resolve('axe-core');

type AxeResults = {
  readonly passes: readonly unknown[];
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
};

/** The violations that axe finds, one a line: the rule, and where. */
async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe });
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  expect(found.passes.length, 'rules that were tried').toBeGreaterThan(10);
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/**
 * Elements that reach beyond the right edge of the window, or whose text reaches beyond themselves. Names of campaigns
 * are cut with an ellipsis.
 */
async function overflowing(page: Page): Promise<string[]> {
  const { seen, beyond } = await page.evaluate<{ seen: number; beyond: string[] }>(`(() => {
    const shown = [...document.body.querySelectorAll('*')]
      .filter((each) => each.closest('.title') === null)
      .filter((each) => getComputedStyle(each).display !== 'none' && each.getBoundingClientRect().width > 0);
    const beyond = shown
      .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5 || each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
      .map((each) => each.outerHTML.slice(0, 120))
      .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []);
    return { seen: shown.length, beyond };
  })()`);
  expect(seen, 'elements that were looked at').toBeGreaterThan(10);
  return beyond;
}
