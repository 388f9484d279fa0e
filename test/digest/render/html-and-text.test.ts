import { describe, expect, test } from 'vitest';
import { mailHtml } from '../../../src/digest/render/html.ts';
import { mailText } from '../../../src/digest/render/text.ts';
import type { DigestFigures } from '../../../src/model/digest.ts';
import { periodOf } from '../../../src/model/period.ts';
import { busyWeek, chartOf, eventfulWeek, everythingNamed } from '../busy-week.ts';
import { accountTotals, contentOf, figures, noFigures, periodFigures } from '../figures.ts';
import { digests } from '../mails.ts';

/** What a reader sees of HTML, with the alternative text of the chart. */
function seen(html: string): string {
  const body = html.slice(html.indexOf('<h1')).replaceAll(/<img [^>]*alt="([^"]*)"[^>]*>/g, '$1');
  const entities: { [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return body
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&([a-z0-9#]+);/g, (_, name: string) => entities[name] ?? ' ')
    .replaceAll(/\s+/g, ' ');
}

const html = (given: DigestFigures) => mailHtml(contentOf(given), 'cid:chart');
const text = (given: DigestFigures) => mailText(contentOf(given));

const coast = accountTotals({
  account: 'coast',
  label: 'Coast office',
  campaigns: 7,
  attempts: 1_520,
  busies: 152,
  connects: 387,
  liveAnswers: 76,
});

test('a digest with a dashboard has one button that opens it, and a line of the text; one without has no link', () => {
  const link = 'https://bi.example.com/?day={day}&account={account}';
  const [button, ...others] = html(figures({ link })).matchAll(/<a href="([^"]*)"[^>]*>([^<]*)</g);
  expect(button!.slice(1)).toEqual([
    'https://bi.example.com/?day=2026-11-19&amp;account=north',
    'Open the dashboard',
  ]);
  expect(others).toEqual([]);
  expect(text(figures({ link }))).toContain(
    '\nOpen the dashboard: https://bi.example.com/?day=2026-11-19&account=north\n',
  );
  expect(html(figures())).not.toContain('<a ');
});

test('a phone cuts the names of campaigns to look up, and nothing that marks a figure', () => {
  const failed = { ...coast, ...noFigures, state: 'missing' as const };
  const cut = html(busyWeek({ accounts: [accountTotals(), failed] }))
    .split('<tr>')
    .filter((row) => row.includes('class="ink line title"'));
  expect(cut).toHaveLength(11);
  expect(cut.filter((row) => /not loaded|incomplete/.test(row))).toEqual([]);
});

describe('text and HTML', () => {
  const words = (body: string) =>
    body
      .toLowerCase()
      .split(/[^\p{L}\p{N}%+\-–→]+/u)
      .filter((word) => word !== '' && word !== '-')
      .sort();
  // The alternative text of the chart replaces the headings of its table in the text.
  const pictured = /Attempts, Connects, Connected\./;
  const legend = /Attempts Connects Connected .*?(?=Attempts, Connects)/;

  test.each([
    ['a plain day', figures()],
    ['one with all kinds of news', eventfulWeek()],
    [
      'an incomplete one',
      figures({ accounts: [accountTotals(), { ...coast, ...noFigures, state: 'missing' }] }),
    ],
    ['a provisional one', digests['a provisional day']!],
    ['a corrected one', busyWeek({ before: [periodFigures(accountTotals())] })],
    ['none of the day', figures({ accounts: [accountTotals({ ...noFigures, state: 'missing' })] })],
  ])('say the same, word by word: %s', (_, given) => {
    const read = seen(html(given)).replace(legend, '').replace(pictured, 'Attempts Connects Connected Day');
    const written = text(given).slice(given.name.length);
    expect(words(written)).toEqual(words(read));
  });
});

describe('whatever a campaign, a client or an account is called', () => {
  const evil = `</td><script>alert('1')</script>&amp;"`;
  test('the HTML escapes it', () => {
    const page = html(everythingNamed(evil));
    expect(page).not.toContain('<script');
    expect(seen(page)).toContain(evil);
    expect(page.match(/<td/g)!.length).toBe(page.match(/<\/td>/g)!.length);
  });

  test('it stays on its line, and is cut to a readable length', () => {
    for (const name of ['a\r\nSubject: b', 'x'.repeat(10_000), '\u202egnp.exe', '👩‍👩‍👧'.repeat(200)]) {
      const body = text(everythingNamed(name));
      expect(Math.max(...body.split('\n').map((line) => line.length))).toBeLessThan(1_500);
      expect(body).not.toMatch(/[\r\u202e]|^Subject/m);
    }
  });
});

describe('the HTML', () => {
  test('shows in the inbox, beside the subject, what the subject leaves out', () => {
    const preheader = (given: DigestFigures) =>
      /display:none[^>]*>([^<]*)</.exec(html(given))![1]!.replaceAll('&#39;', "'");
    expect(preheader(busyWeek())).toMatch(/^Connect rate .* higher than on a typical Thursday, [^·]*$/);
    expect(preheader(eventfulWeek())).toMatch(/ · Held back, Coast office, .* · New clients, [^·]*$/);
    expect(preheader(figures({ accounts: [accountTotals({ state: 'missing' })] }))).toBe(
      'Nothing is loaded for the day yet.',
    );
  });

  test('explains hatching in the legend only where a day is hatched', () => {
    const legend = (given: DigestFigures) => /The last 14 days (.*?) Attempts,/.exec(seen(html(given)))![1];
    expect(legend(busyWeek(chartOf(periodOf('day', '2026-11-19'))))).toBe('Attempts Connects Connected');
    expect(legend(busyWeek())).toBe('Attempts Connects Connected ▨ incomplete');
    expect(legend(digests['a provisional day']!)).toBe(
      'Attempts Connects Connected ▨ incomplete, provisional',
    );
  });
});
