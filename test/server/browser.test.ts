import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { addBackfill, addDigest, addOutage, addProblems, addRunning, fill, offices } from './fill.ts';
import { type FilledSite, openSite } from './site.ts';

const token = 'page-t0ken/of+16';
/** A folder for pictures, to look at: `SCREENSHOTS=shots npx vitest run test/server/browser.test.ts`. */
const pictures = process.env.SCREENSHOTS;

const kinds = ['good', 'bad', 'outage', 'many', 'running'] as const;
type Kind = (typeof kinds)[number];

let sites: Record<Kind, FilledSite>;
let browser: Browser;
let axe: string;
beforeAll(async () => {
  const nextRun = () => Temporal.Now.instant().add({ hours: 3, minutes: 12, seconds: 5 });
  const opened = await Promise.all(kinds.map(() => openSite({ token, nextRun })));
  sites = Object.fromEntries(kinds.map((kind, index) => [kind, opened[index]!])) as typeof sites;
  const { good, bad, outage, many, running } = sites;
  for (const site of [good, bad, running]) await fill(site, ['north', 'coast', 'Harbour office 7']);
  await addDigest(good);
  await addDigest(running);
  await addProblems(bad, 'coast');
  await addBackfill(bad);
  await fill(outage, offices(40));
  await addOutage(outage);
  await fill(many, offices(2_000));
  await addProblems(many, 'office 977');
  await addRunning(running);
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if (pictures) await mkdir(pictures, { recursive: true });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await Promise.all(Object.values(sites).map((site) => site.close()));
});

type Look = { width: number; colorScheme: 'light' | 'dark' };
const phone: Look = { width: 390, colorScheme: 'dark' };
const desk: Look = { width: 1280, colorScheme: 'light' };

async function open(look: Look): Promise<{ page: Page; requested: string[] }> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 900 },
    colorScheme: look.colorScheme,
    httpCredentials: { username: 'ana', password: token },
  });
  const page = await context.newPage();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).origin));
  page.on('console', (message) => requested.push(`console: ${message.text()}`));
  return { page, requested };
}

const looks: readonly [Kind, Look][] = [
  ['bad', phone],
  ['bad', desk],
  ['bad', { width: 1280, colorScheme: 'dark' }],
  ['good', { width: 390, colorScheme: 'light' }],
  ['good', desk],
  ['outage', desk],
  ['outage', phone],
  ['many', desk],
  ['running', desk],
  ['running', phone],
];

it.each(looks)(
  'the %s page on %j satisfies axe, has no script, makes no third-party requests and needs no horizontal scrolling',
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
    expect(passes.map(({ id }) => id)).toEqual(expect.arrayContaining(['color-contrast', 'link-name']));

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(look.width);
    expect(await page.evaluate('document.scripts.length')).toBe(0);
    expect(new Set(requested)).toEqual(new Set([sites[kind].url]));
    await page.context().close();
  },
);

it('an account links to each of its alerts, and a day is described on hover', async () => {
  const { page } = await open(desk);
  await page.goto(sites.bad.url);
  const row = page.locator('.calendar tbody tr', { hasText: 'Coast & Sons' });
  const links = row.locator('a');
  expect(await links.allInnerTexts()).toEqual([
    'token refused',
    'days not loaded',
    'client list incomplete',
    'figures kept',
    "records can't be read",
    'provisional figures',
  ]);
  for (const link of await links.all()) {
    await link.click();
    const [id, title] = (await page.evaluate(
      `[location.hash, document.querySelector(':target strong').textContent]`,
    )) as [string, string];
    expect(title.toLowerCase(), id).toContain((await link.innerText()).split(' ').at(-1));
  }
  const failed = row.locator('.failed');
  await failed.hover();
  const shown = await page.evaluate(
    `getComputedStyle(document.querySelector('.calendar .failed'), '::before').content`,
  );
  expect(shown).toMatch(/: failed: the service refuses/);
  await page.context().close();
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
