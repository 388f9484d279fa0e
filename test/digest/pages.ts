import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/* What is wrong with a page in a browser. */

const axe = createRequire(import.meta.url).resolve('axe-core');

type AxeResults = {
  readonly passes: readonly unknown[];
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
};

/** The violations that axe finds, one a line: the rule, and where. */
export async function violations(page: Page): Promise<string[]> {
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
export const overflowing = (page: Page) =>
  page.evaluate<string[]>(`
    [...document.body.querySelectorAll('*')]
      .filter((each) => each.closest('.title') === null)
      .filter((each) => getComputedStyle(each).display !== 'none' && each.getBoundingClientRect().width > 0)
      .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5 || each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
      .map((each) => each.outerHTML.slice(0, 120))
      .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : [])`);
