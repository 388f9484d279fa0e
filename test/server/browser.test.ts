import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { addBackfill, addDigest, addProblems, fill } from './fill.ts';
import { type FilledSite, openSite } from './site.ts';

const token = 'page-t0ken/of+16';
/** A folder for pictures, to look at: `SCREENSHOTS=shots npx vitest run test/server/browser.test.ts`. */
const pictures = process.env.SCREENSHOTS;

let sites: Record<'good' | 'bad', FilledSite>;
let browser: Browser;
let axe: string;
beforeAll(async () => {
  const nextRun = () => Temporal.Now.instant().add({ hours: 3, minutes: 12, seconds: 5 });
  const [good, bad] = await Promise.all([openSite({ token, nextRun }), openSite({ token, nextRun })]);
  for (const site of [good, bad]) await fill(site, ['north', 'coast', 'Harbour office 7']);
  await addDigest(good);
  await addProblems(bad, 'coast');
  await addBackfill(bad);
  sites = { good, bad };
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if (pictures) await mkdir(pictures, { recursive: true });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await Promise.all(Object.values(sites).map((site) => site.close()));
});

type Look = { width: number; colorScheme: 'light' | 'dark' };
const phone: Look = { width: 375, colorScheme: 'dark' };
const desk: Look = { width: 1280, colorScheme: 'light' };

async function open(look: Look, javaScriptEnabled = true): Promise<{ page: Page; requested: string[] }> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 900 },
    colorScheme: look.colorScheme,
    javaScriptEnabled,
    httpCredentials: { username: 'ana', password: token },
  });
  const page = await context.newPage();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).origin));
  page.on('console', (message) => requested.push(`console: ${message.text()}`));
  return { page, requested };
}

it.each([
  ['bad', phone],
  ['bad', desk],
  ['good', { width: 375, colorScheme: 'light' }],
] as const)(
  'the %s page on %j satisfies axe, makes no third-party requests and needs no horizontal scrolling',
  async (kind, look) => {
    const { page, requested } = await open(look);
    await page.goto(sites[kind].url);
    await page.evaluate(
      `document.querySelectorAll('details').forEach((details) => { details.open = true; })`,
    );
    const name = [kind, look.width, look.colorScheme].join('-');
    if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });

    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const run = `${axe}; axe.run(document, { runOnly: ${JSON.stringify(tags)} })`;
    const { violations, passes } = (await page.evaluate(run)) as AxeResults;
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)).toEqual([]);
    expect(passes.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['color-contrast', 'link-name', 'target-size']),
    );

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(look.width);
    expect(new Set(requested)).toEqual(new Set([sites[kind].url]));
    await page.context().close();
  },
);

describe('with the keyboard alone', () => {
  it('each day can be reached, and shows its counts', async () => {
    const { page } = await open(phone);
    await page.goto(sites.bad.url);
    const focused = () =>
      page.evaluate(
        `[document.activeElement.className, getComputedStyle(document.activeElement, '::before').content]`,
      ) as Promise<[string, string]>;
    for (let steps = 0; steps < 40 && !(await focused())[0].startsWith('loaded'); steps++)
      await page.keyboard.press('Tab');
    // The newest day is the stop of its calendar; the next stop is in another one.
    await page.keyboard.press('ArrowUp');
    expect((await focused())[1]).toMatch(/: failed: the service refuses/);
    const outline = await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`);
    expect(outline).toBe('solid');
    await page.context().close();
  });
});

it('the page is the same without JavaScript', async () => {
  const texts = await Promise.all(
    [true, false].map(async (javaScript) => {
      const { page } = await open(desk, javaScript);
      await page.goto(sites.bad.url);
      // The next run is so long ahead of each request.
      const text = (await page.locator('main').innerText()).replace(/Next run .*/, '');
      await page.context().close();
      return text;
    }),
  );
  expect(texts[1]).toBe(texts[0]);
  expect(texts[1]).toContain('Coast & Sons, ');
});

describe('an open page', () => {
  it('refreshes by itself, keeps what is open and focused, and says when it can’t', async () => {
    const site = await openSite();
    await fill(site, ['north']);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(site.url);
    await page.locator('.run summary').first().click();
    await site.query(`update warehouse.accounts set label = 'North & Co'`);
    const refreshed = page.waitForResponse((response) => response.url() === `${site.url}/`);
    await page.clock.runFor(61_000);
    await refreshed;
    await page.getByText('North & Co').first().waitFor();
    expect(await page.locator('.run').first().getAttribute('open')).toBe('');
    expect(await page.evaluate(`document.activeElement.closest('details').dataset.key`)).toMatch(/^run \d+$/);
    expect(await page.locator('#stale').innerText()).toBe('');
    await site.close();
    await page.clock.runFor(61_000);
    await page.getByText('Callsheet doesn’t respond').waitFor();
    await context.close();
  });

  it('has one stop of the Tab key for each calendar, and a first one that skips to the content', async () => {
    const { page } = await open(desk);
    await page.goto(sites.bad.url);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    const stops = `[...document.querySelectorAll('.calendar')].map((each) => each.querySelectorAll('td span:not([tabindex="-1"])').length)`;
    expect(await page.evaluate(stops)).toEqual([1, 1, 1]);
    await page.context().close();
  });
});

it('each state and flag has a shape of its own, not only a colour', async () => {
  const { page } = await open(desk);
  await page.emulateMedia({ forcedColors: 'none' });
  await page.goto(sites.good.url);
  // Without colours: what is left is fills, borders and marks.
  await page.evaluate(`document.documentElement.style.filter = 'grayscale(1)'`);
  // The page's own legend has only the marks that occur.
  const marks = ['loaded', 'provisional', 'failed', 'missing', 'held', 'restated', 'settling'];
  const spans = marks.map((mark, index) => `<span class="mark ${index > 3 ? 'loaded ' : ''}${mark}"></span>`);
  await page.evaluate(`document.querySelector('.legend').innerHTML = ${JSON.stringify(spans.join(''))}`);
  const shapes = (await page.evaluate(`[...document.querySelectorAll('.legend .mark')].map((mark) => {
    const { borderStyle, backgroundImage, backgroundColor } = getComputedStyle(mark);
    const { content } = getComputedStyle(mark, '::after');
    return [borderStyle, content, backgroundImage.replace(/rgb[^)]*\\)/g, 'colour'), backgroundColor === 'rgba(0, 0, 0, 0)'].join(' ');
  })`)) as string[];
  expect(shapes).toHaveLength(7);
  expect(new Set(shapes).size).toBe(7);
  // What settles may be restated, too: the rim doesn't hide the corner.
  const both = `(() => {
    const mark = document.querySelector('.legend .mark.settling');
    mark.classList.add('restated');
    return getComputedStyle(mark).backgroundImage;
  })()`;
  expect(await page.evaluate(both)).toContain('linear-gradient');
  await page.context().close();
});
