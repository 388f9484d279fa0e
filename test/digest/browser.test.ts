import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { mails } from './mails.ts';
import { overflowing, violations } from './pages.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** The page in a browser, and all requests that it made. */
async function look(html: string, width: number, colorScheme: 'light' | 'dark') {
  const requested: string[] = [];
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  page.on('request', (request) => requested.push(request.url()));
  await page.setContent(html, { waitUntil: 'load' });
  return { page, requested: requested.filter((url) => !url.startsWith('data:')) };
}

/** Each width, and light and dark, once: `every-variant.slow.test.ts` has all of both, and of every variant. */
const looks = [
  { width: 375, scheme: 'dark' },
  { width: 800, scheme: 'light' },
] as const;

describe.each(looks)('at $width px, $scheme', ({ width, scheme }) => {
  test.each(Object.entries(mails))(
    '%s is readable for everybody, fits, and makes no requests',
    async (_, compose) => {
      const { page, requested } = await look((await compose()).html, width, scheme);
      expect(await violations(page)).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
      expect(requested).toEqual([]);
      await page.close();
    },
  );

  test('the chart is shown, as wide as its column', async () => {
    const { page } = await look((await mails['a busy day']!()).html, width, scheme);
    const image = await page.evaluate<{ natural: number[]; shown: number[] }>(
      `(() => { const image = document.querySelector('img'); return { natural: [image.naturalWidth, image.naturalHeight], shown: [image.clientWidth, image.clientHeight] }; })()`,
    );
    expect(image.natural).toEqual([1_088, 592]);
    expect(image.shown).toEqual(width === 375 ? [343, 187] : [544, 296]);
    await page.close();
  });
});

test('a dark reader gets a dark page', async () => {
  const ground = async (scheme: 'light' | 'dark') => {
    const { page } = await look((await mails['a first digest']!()).html, 800, scheme);
    const colour = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('.card')).backgroundColor`,
    );
    await page.close();
    return colour;
  };
  expect([await ground('light'), await ground('dark')]).toEqual(['rgb(255, 255, 255)', 'rgb(24, 30, 38)']);
});
