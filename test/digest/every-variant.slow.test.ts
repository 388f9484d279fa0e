import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { composeDigest } from '../../src/digest/compose.ts';
import { withChart } from '../../src/digest/render/html.ts';
import type { DigestFigures } from '../../src/model/digest.ts';
import { openBrowser } from '../support/browser.ts';
import { attached } from './figures.ts';
import { alerts } from './mails.ts';
import { overflowing, violations } from './pages.ts';
import { variants } from './variants.ts';

/* Every digest that can be, in each language, as a phone and a desktop show it by day and by night. */

/** A folder for the mails and their pictures: docs/digest.md says how to look at them. */
const pictures = process.env.SCREENSHOTS;

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  if (pictures) await mkdir(pictures, { recursive: true });
  page = await browser.newPage();
});
afterAll(() => browser.close());

/** What axe looks at, fonts, colours and roles, is the same at each width, and in each language. */
const looks = [
  { width: 375, scheme: 'light', examined: true },
  { width: 375, scheme: 'dark', examined: false },
  { width: 800, scheme: 'light', examined: false },
  { width: 800, scheme: 'dark', examined: true },
] as const;

async function compose(figures: DigestFigures) {
  const { lowBalances, lowBalanceCount } = figures.attention;
  const balances = lowBalanceCount > lowBalances.length ? attached : null;
  const message = await composeDigest({ ...figures, lowBalance: 25 }, attached, balances);
  return { ...message, html: withChart(message) };
}

/** Holds a page against what a reader needs, in every look, and draws it. */
async function look(html: string, locale: string, file: string) {
  await page.setContent(html, { waitUntil: 'load' });
  for (const { width, scheme, examined } of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    expect(await overflowing(page), `${width} px`).toEqual([]);
    if (examined && locale === 'en-GB') expect(await violations(page), `${width} px, ${scheme}`).toEqual([]);
    if (pictures) await page.screenshot({ path: `${file}-${width}-${scheme}.png`, fullPage: true });
  }
}

const fileOf = (name: string, locale: string) =>
  path.join(pictures ?? '', `${name.replaceAll(/\W+/g, '-')}-${locale}`);

describe.each(['en-GB', 'es'])('in %s', (locale) => {
  test.each(Object.entries(variants))('%s is readable for everybody, and fits', async (name, figures) => {
    const { html, subject, text } = await compose({ ...figures, locale });
    const file = fileOf(name, locale);
    if (pictures) await writeFile(`${file}.txt`, `${subject}\n\n${text}`);
    await look(html, locale, file);
  });
});

test.each(Object.entries(alerts))('%s is readable for everybody, and fits', async (name, { html }) => {
  await look(html, 'en-GB', fileOf(name, 'en-GB'));
});
