import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { mails } from './mails.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** A folder for pictures, to look at: `SCREENSHOTS=shots npx vitest run test/digest/browser.test.ts`. */
const pictures = process.env.SCREENSHOTS;

/** The page in a browser, and all requests that it made. */
async function look(html: string, width: number, colorScheme: 'light' | 'dark') {
  const requested: string[] = [];
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  page.on('request', (request) => requested.push(request.url()));
  await page.setContent(html, { waitUntil: 'load' });
  return { page, requested: requested.filter((url) => !url.startsWith('data:')) };
}

const axe = createRequire(import.meta.url).resolve('axe-core');

/** The violations that axe finds, one a line: the rule, and where. */
async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe });
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  expect(found.passes.length, 'rules that were tried').toBeGreaterThan(10);
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
type AxeResults = {
  readonly passes: readonly unknown[];
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
};

/** Elements that reach beyond the right edge of the window, or whose text reaches beyond themselves. */
const overflowing = (page: Page) =>
  page.evaluate<string[]>(`
    [...document.body.querySelectorAll('*')]
      .filter((each) => getComputedStyle(each).display !== 'none' && each.getBoundingClientRect().width > 0)
      .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5 || each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
      .map((each) => each.outerHTML.slice(0, 120))
      .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : [])`);

const looks = [375, 800].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

describe.each(looks)('at $width px, $scheme', ({ width, scheme }) => {
  test.each(Object.entries(mails))(
    '%s is readable for everybody, fits, and makes no requests',
    async (name, compose) => {
      const { page, requested } = await look((await compose()).html, width, scheme);
      expect(await violations(page)).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
      expect(requested).toEqual([]);
      if (pictures)
        await page.screenshot({ path: `${pictures}/${name}-${width}-${scheme}.png`, fullPage: true });
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
