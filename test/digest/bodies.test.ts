import { describe, expect, test } from 'vitest';
import { digestHtml } from '../../src/digest/html.ts';
import { digestText } from '../../src/digest/text.ts';
import type { AccountTotals, DigestFigures } from '../../src/model/digest.ts';
import { accountTotals, figures } from './figures.ts';

/** What a reader sees of HTML. */
function seen(html: string): string {
  const body = html.slice(html.indexOf('<body'));
  const entities: { [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return body
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&([a-z0-9#]+);/g, (_, name: string) => entities[name]!)
    .replaceAll(/\s+/g, ' ');
}

const coast = accountTotals({
  account: 'coast',
  label: 'Coast office',
  campaigns: 7,
  attempts: 1_520,
  busies: 152,
  connects: 387,
  liveAnswers: 76,
});
const numbersIn = (text: string) => [...text.matchAll(/\d[\d,]*%?|–/g)].map(([number]) => number).sort();

/** Both bodies, as read. */
async function bodies(part: Partial<DigestFigures> = {}) {
  const given = figures(part);
  return { text: digestText(given), html: seen(await digestHtml(given)) };
}

describe.each(['text', 'html'] as const)('the %s of a digest', (kind) => {
  const body = async (part?: Partial<DigestFigures>) => (await bodies(part))[kind];

  test('begins with the digest and its whole date', async () => {
    const [start] = (await body()).split('2026');
    expect(start!.replaceAll(/\W+/g, ' ').trim()).toBe('Campaigns Thursday 19 November');
  });

  test('tells the totals of all accounts, with their share of the attempts', async () => {
    const told = await body({ accounts: [accountTotals(), coast] });
    for (const figure of ['14,000', '8,000', '57%', '5,068', '36%', '1,400', '10%', '48']) {
      expect(told).toContain(figure);
    }
  });

  test('tells each account where there are several, and not a second time where there is one', async () => {
    const both = await body({ accounts: [accountTotals(), coast] });
    for (const figure of [
      'North office',
      '12,480',
      '61%',
      '4,992',
      '41',
      'Coast office',
      '1,520',
      '25%',
      '76',
    ]) {
      expect(both).toContain(figure);
    }
    expect(await body()).not.toContain('North office');
  });

  test('says first which accounts are lacking, and why', async () => {
    const lacking = (state: AccountTotals['state'], label: string) => accountTotals({ state, label });
    const accounts = [
      lacking('failed', 'A'),
      lacking('provisional', 'B'),
      lacking(null, 'C'),
      lacking('loaded', 'D'),
    ];
    const told = await body({ accounts });
    const note = 'Incomplete. A: not loaded; B: the day was not over; C: not loaded.';
    expect(told).toContain(note);
    expect(told.indexOf(note)).toBeLessThan(told.indexOf('Attempts'));
  });

  test('says that no campaign made calls only where the day is wholly loaded', async () => {
    const note = 'No campaign made calls on that day.';
    expect(await body({ rows: [] })).toContain(note);
    expect(await body({ rows: [], accounts: [accountTotals({ state: 'failed' })] })).not.toContain(note);
    expect(await body()).not.toContain(note);
  });

  test('names the earlier days that have no digest of their own', async () => {
    expect(await body({ earlierDays: ['2026-11-16', '2026-11-17'] })).toContain(
      'Also loaded, without a digest of their own: Mon 16 Nov, Tue 17 Nov.',
    );
    expect(await body()).not.toContain('without a digest');
  });

  test('shows a dash, not 0, for a rate without attempts and a count that wasn’t told', async () => {
    const accounts = [accountTotals(), accountTotals({ label: 'Coast', attempts: 0, liveAnswers: null })];
    expect(await body({ accounts })).toMatch(/Coast\W+0\D+–\D+–/);
  });
});

test('text and HTML tell the same numbers', async () => {
  const accounts = [accountTotals(), coast];
  for (const part of [{}, { accounts }, { accounts, earlierDays: ['2026-11-16'] }]) {
    const { text, html } = await bodies(part);
    expect(numbersIn(text)).toEqual(numbersIn(html));
  }
});

test('the HTML escapes whatever an account or a digest is called', async () => {
  const evil = `</td><script>alert('1')</script>&amp;"`;
  const given = figures({ name: evil, accounts: [accountTotals({ label: evil, state: 'failed' }), coast] });
  const html = await digestHtml(given);
  expect(html).not.toContain('<script');
  expect(
    html.match(/&lt;\/td&gt;&lt;script&gt;alert\(&#39;1&#39;\)&lt;\/script&gt;&amp;amp;&quot;/g),
  ).toHaveLength(4);
  expect(seen(html).split(evil)).toHaveLength(4);
});

test('the HTML loads nothing from elsewhere', async () => {
  expect(await digestHtml(figures())).not.toMatch(/https?:|src=|url\(|<link|<script/i);
});
