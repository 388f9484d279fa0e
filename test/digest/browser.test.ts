import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { composeDigest } from '../../src/digest/compose.ts';
import { composeAlert } from '../../src/digest/render/alert.ts';
import { withChart } from '../../src/digest/render/html.ts';
import type { ActiveAlert } from '../../src/model/alert.ts';
import type { DigestFigures } from '../../src/model/digest.ts';
import { openBrowser } from '../support/browser.ts';
import { busyWeek, eventfulWeek } from './busy-week.ts';
import { accountTotals, attached, figures } from './figures.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const failed = accountTotals({
  account: 'coast',
  label: 'Coast office',
  state: 'failed',
  campaigns: 0,
  attempts: null,
  busies: null,
  connects: null,
  liveAnswers: null,
});
const long = 'Unbreakable'.repeat(1_000);
const digests: Record<string, DigestFigures> = {
  'a first digest': figures(),
  'a busy day': busyWeek(),
  'a day with every kind of news': eventfulWeek(),
  'a day in Spanish': eventfulWeek({ locale: 'es' }),
  'an incomplete day': busyWeek({ accounts: [accountTotals(), failed] }),
  'a corrected day': busyWeek({ before: [accountTotals(), failed] }),
  'nothing that day': figures({ accounts: [{ ...failed, state: 'loaded' }] }),
  'names without end': eventfulWeek({
    accounts: [accountTotals({ label: long, attempts: 987_654_321 }), { ...failed, label: long }],
    topCampaigns: busyWeek().topCampaigns.map((each) => ({ ...each, campaign: long, attempts: 987_654_321 })),
  }),
};

const alert: ActiveAlert = {
  code: 'TOKEN_REFUSED',
  key: `TOKEN_REFUSED/${long}`,
  account: 'valley',
  severity: 'error',
  title: `valley: token refused for 2026-03-02 ${long}`,
  cause: 'The service refuses the session token. The next run tries again.',
  since: '2026-03-03',
  days: ['2026-03-02'],
  affects: ['2026-03-02'],
  retried: false,
  steps: [
    { text: `Write the new token to ${long}`, command: null },
    { text: 'Then', command: ['run', '--from', '2026-03-02', '--to', '2026-03-03', '--account', long] },
  ],
  dismissed: false,
};
const pages: Record<string, () => Promise<string>> = {
  ...Object.fromEntries(Object.entries(digests).map(([name, given]) => [name, () => digestPage(given)])),
  'an alert mail': async () =>
    composeAlert([alert, { ...alert, title: 'short', since: null }], [`resolved ${long}`]).html,
};

async function digestPage(given: DigestFigures): Promise<string> {
  return withChart(await composeDigest(given, attached));
}

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
  test.each(Object.entries(pages))(
    '%s is readable for everybody, fits, and makes no requests',
    async (_, html) => {
      const { page, requested } = await look(await html(), width, scheme);
      expect(await violations(page)).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
      expect(requested).toEqual([]);
      await page.close();
    },
  );

  test('the chart is shown, as wide as its column', async () => {
    const { page } = await look(await digestPage(busyWeek()), width, scheme);
    const image = await page.evaluate<{ natural: number; shown: number }>(
      `(() => { const image = document.querySelector('img'); return { natural: image.naturalWidth, shown: image.clientWidth }; })()`,
    );
    expect(image.natural).toBe(1_100);
    expect(image.shown).toBe(width === 375 ? 343 : 544);
    await page.close();
  });
});

test('a dark reader gets a dark page', async () => {
  const ground = async (scheme: 'light' | 'dark') => {
    const { page } = await look(await digestPage(figures()), 800, scheme);
    const colour = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('.card')).backgroundColor`,
    );
    await page.close();
    return colour;
  };
  expect([await ground('light'), await ground('dark')]).toEqual(['rgb(255, 255, 255)', 'rgb(24, 30, 38)']);
});
