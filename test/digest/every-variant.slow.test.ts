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

const looks = [375, 800].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

async function compose(figures: DigestFigures) {
  const { lowBalances, lowBalanceCount } = figures.attention;
  const balances = lowBalanceCount > lowBalances.length ? attached : null;
  const message = await composeDigest({ ...figures, lowBalance: 25 }, attached, balances);
  return { ...message, html: withChart(message) };
}

/** Holds a page against what a reader needs, in every look, and draws it. */
async function look(html: string, file: string) {
  await page.setContent(html, { waitUntil: 'load' });
  for (const { width, scheme } of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    expect(await overflowing(page), `${width} px`).toEqual([]);
    expect(await violations(page), `${width} px, ${scheme}`).toEqual([]);
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
    await look(html, file);
  });
});

test.each(Object.entries(alerts))('%s is readable for everybody, and fits', async (name, { html }) => {
  await look(html, fileOf(name, 'en-GB'));
});
