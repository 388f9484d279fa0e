import { describe, expect, test } from 'vitest';
import { buildContent } from '../../../src/digest/compose.ts';
import { digestHtml, withChart } from '../../../src/digest/render/html.ts';
import { digestText } from '../../../src/digest/render/text.ts';
import type { AccountTotals, CsvAttachment, DigestFigures } from '../../../src/model/digest.ts';

import { busyWeek, eventfulWeek, everythingNamed } from '../busy-week.ts';
import { accountDay, accountTotals, attached, coverage, figures, quiet, sumsOf } from '../figures.ts';
import { variants } from '../variants.ts';

/** What a reader sees of HTML, with the alternative text of the chart. */
function seen(html: string): string {
  const body = html.slice(html.indexOf('<h1')).replaceAll(/<img [^>]*alt="([^"]*)"[^>]*>/g, '$1');
  const entities: { [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return body
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&([a-z0-9#]+);/g, (_, name: string) => entities[name] ?? ' ')
    .replaceAll(/\s+/g, ' ');
}

const html = (given: DigestFigures, csv: CsvAttachment = attached) =>
  digestHtml(buildContent(given, csv), 'cid:chart');
const text = (given: DigestFigures, csv: CsvAttachment = attached) => digestText(buildContent(given, csv));

const coast = accountTotals({
  account: 'coast',
  label: 'Coast office',
  campaigns: 7,
  attempts: 1_520,
  busies: 152,
  connects: 387,
  liveAnswers: 76,
});
const unknown = { campaigns: 0, attempts: null, busies: null, connects: null, liveAnswers: null };

describe.each(['text', 'html'] as const)('the %s of a digest', (kind) => {
  const body = (part?: Partial<DigestFigures>, csv = attached) =>
    kind === 'text' ? text(figures(part), csv).replaceAll(/\s+/g, ' ') : seen(html(figures(part), csv));

  test('begins with its whole date and the connect rate', () => {
    expect(body().replace('rate:', 'rate')).toContain('Thursday 19 November 2026 Connect rate 61.0%');
  });

  test('shows the totals of all accounts, with their share of the attempts', () => {
    const listed = body({ accounts: [accountTotals(), coast] });
    for (const figure of ['57.1%', '8,000 of 14,000', '48 campaigns', '5,068', '36.2%', '1,400', '10.0%']) {
      expect(listed).toContain(figure);
    }
  });

  test('lists the accounts where there are several, and doesn’t repeat a single one', () => {
    const both = body({ accounts: [accountTotals(), coast] });
    for (const word of [
      'North office',
      '12,480',
      '61.0%',
      '41',
      'Coast office',
      '1,520',
      '25.5%',
      '7 campaigns',
    ]) {
      expect(both).toContain(word);
    }
    expect(body()).not.toContain('North office');
  });

  test('says first which accounts are missing, why, and that a corrected digest follows', () => {
    const lacking = (state: AccountTotals['state'], label: string) => accountTotals({ state, label });
    const accounts = [
      lacking('failed', 'A'),
      lacking('provisional', 'B'),
      lacking(null, 'C'),
      lacking('loaded', 'D'),
    ];
    const listed = body({ accounts });
    expect(listed.replaceAll('- ', '')).toContain(
      'Incomplete: part of the day is missing. A: not loaded B: the day was not over C: not loaded A corrected digest follows once the rest is there.',
    );
    expect(listed.indexOf('Incomplete')).toBeLessThan(listed.indexOf('Connect rate'));
  });

  test('says what a correction changed, by account', () => {
    const before = [
      accountTotals({ attempts: 12_000, liveAnswers: 4_990 }),
      { ...coast, ...unknown, state: 'failed' as const },
    ];
    const listed = body({ accounts: [accountTotals(), coast], before });
    expect(listed.replaceAll('- ', '')).toContain(
      'Corrected: this replaces the digest sent for that day. ' +
        'North office: attempts 12,000 → 12,480, live answers 4,990 → 4,992 ' +
        'Coast office: not loaded → 1,520 attempts, 152 busies, 387 connects, 76 live answers',
    );
    expect(body({ before: [accountTotals()] })).toContain(
      'The sums are the same; campaigns among them changed.',
    );
  });

  test('says of how many campaigns a count was not reported', () => {
    const unreported = { attempts: 3, busies: 41, connects: 0, liveAnswers: 0 };
    expect(body({ accounts: [accountTotals({ unreported })] }).replaceAll('- ', '')).toContain(
      'Not reported by the service, and in no sum or rate: ' +
        'North office: attempts of 3 of 41 campaigns and busies of 41 of 41 campaigns',
    );
    expect(body()).not.toContain('Not reported by the service');
  });

  test('is one line of a day without calls, and only where the whole day is loaded', () => {
    const none = accountTotals({ campaigns: 0, attempts: 0, busies: 0, connects: 0, liveAnswers: 0 });
    const empty = body({ accounts: [none] });
    expect(empty).toContain(
      'Thursday 19 November 2026 No calls: the service lists no campaigns for that day. Complete through',
    );
    expect(empty).not.toMatch(/%|Attempts|CSV/);
    expect(body({ accounts: [{ ...none, campaigns: 3 }] })).toContain(
      'No calls: no campaign made an attempt.',
    );
    expect(body({ accounts: [{ ...none, ...unknown, state: 'failed' }] })).toContain(
      'Nothing is loaded for that day yet.',
    );
    expect(body({ accounts: [none, { ...coast, ...unknown, state: 'failed' }] })).not.toContain('No calls');
    expect(body()).not.toContain('No calls');
  });

  test('says what moved, and where', () => {
    const weeks = ['2026-11-12', '2026-11-05'];
    const history = weeks.flatMap((day) => [
      accountDay('north', day, 12_480, 7_613),
      accountDay('coast', day, 3_040, 774),
    ]);
    const movers = [
      { label: 'Coast office', callsetId: 7, campaign: 'Win back', attempts: 20, typical: 1_200.4 },
    ];
    const listed = body({ accounts: [accountTotals(), coast], history, movers });
    // The text has a change behind its figure, the HTML below it.
    const plain = listed.replaceAll(/[()]/g, '');
    expect(plain).toMatch(/1,520 −50%/);
    expect(listed).toContain('Attempts vs a typical Thursday');
    for (const figure of ['Win back', '1,200', '−98%']) expect(listed).toContain(figure);
  });

  test('leaves to the operator what isn’t of its own day', () => {
    const holes = [coverage({ recentlyMissing: ['2026-11-12'] })];
    expect(body({ coverage: holes })).not.toMatch(/not loaded|attention|quarantine|could not be read/i);
    expect(body({ coverage: holes })).toContain('Complete through Thursday 19 November 2026.');
  });

  test('names the earlier days that have no digest of their own', () => {
    expect(body({ earlierDays: ['2026-11-16', '2026-11-17'] })).toContain(
      'Also loaded, without a digest of their own: Mon 16 Nov and Tue 17 Nov.',
    );
    expect(body()).not.toContain('without a digest');
  });

  test('shows a dash, not 0, for what wasn’t reported, isn’t loaded or can’t be divided', () => {
    const idle = accountTotals({ label: 'Idle', attempts: 0, campaigns: 1 });
    const failed = { ...coast, ...unknown, state: 'failed' as const };
    const listed = body({ accounts: [accountTotals(), idle, failed] });
    if (kind === 'html') {
      expect(listed).toContain('Idle 1 campaign 0 – –');
      expect(listed).toContain('Coast office not loaded – – –');
    } else {
      expect(listed).toContain('0 – – Idle (1 campaign)');
      expect(listed).toContain('– – – Coast office (not loaded)');
    }
  });

  test('says through which day its accounts are complete, and when it was updated', () => {
    expect(body()).toContain('Complete through Thursday 19 November 2026. Updated 20 Nov, 06:30 UTC.');
    const failed = { ...coast, ...unknown, state: 'failed' as const };
    expect(body({ completeThrough: '2026-03-09' })).toContain('Complete through Monday 9 March 2026.');
    expect(body({ accounts: [accountTotals(), failed], completeThrough: null, asOf: null })).toContain(
      'Not complete yet.',
    );
    const short = accountTotals({ shortDays: ['2026-11-19'] });
    expect(body({ accounts: [short] })).toContain('Not complete yet.');
    expect(body({ timeZone: 'Europe/Madrid' })).toContain('20 Nov, 07:30 CET');
  });

  test('shows the lowest balances, and says where all are', () => {
    const attention = {
      ...quiet,
      lowBalances: [{ label: 'North office', name: 'Grove Dental', balance: '-3.50' }],
      lowBalanceCount: 13,
    };
    const given = figures({ lowBalance: 25, attention });
    const listed = (balances: CsvAttachment | null) => digestText(buildContent(given, attached, balances));
    expect(listed(null)).toContain('Balance below 25.00\n- Grove Dental: −3.50\n- 12 more\n');
    expect(listed(attached)).toContain('- 12 more: the attached balances file lists them all\n');
    expect(listed({ kind: 'too large', maxBytes: 1 })).toContain('- 12 more\n');
  });

  test('names what needs attention at the top: the thing itself where it is one', () => {
    const restated = {
      label: 'North office',
      day: '2025-12-30',
      campaigns: 1,
      from: sumsOf({ attempts: null }),
      to: sumsOf({ attempts: 5 }),
    };
    expect(body({ attention: { ...quiet, restated: [restated] } })).toContain(
      'Needs attention: Changed since the last digest: North office, Tue 30 Dec 2025: attempts not reported → 5 (1 campaign)',
    );
    const newClients = [{ label: 'North office', count: 1, names: ['Ana'] }];
    expect(body({ attention: { ...quiet, restated: [restated], newClients } })).toContain(
      'Needs attention: Changed since the last digest · New clients',
    );
  });

  test('says of a count without a share of the attempts no more than the count', () => {
    const listed = body({ accounts: [accountTotals({ attempts: null })] });
    const tiles = listed.slice(listed.indexOf('Connect rate'), listed.indexOf('Complete'));
    const note = 'Not compared with the earlier days: too little is loaded. ';
    expect(tiles).toBe(
      kind === 'text'
        ? `Connect rate: – (7,613 connects) Attempts: – (not reported) Live answers: 4,992 Busies: 1,248 ${note}`
        : `Connect rate – 7,613 connects Attempts – not reported Live answers 4,992 Busies: 1,248 ${note}`,
    );
  });

  test('says where the CSV is', () => {
    const content = Buffer.from('');
    expect(body({}, attached)).toContain('in the attached CSV.');
    expect(body({}, { kind: 'zip', content })).toContain('in the attached CSV, packed as a ZIP file.');
    expect(body({}, { kind: 'too large', maxBytes: 10_000_000 })).toContain(
      'larger than 10 MB, even compressed, and not attached. Ask whoever runs Callsheet for it.',
    );
  });
});

test.each(['en-GB', 'es'])('the accounts are compared in the words of the tiles, in %s', (locale) => {
  for (const name of ['a week', 'a month beside another', 'a busy day']) {
    const { tiles, tables } = buildContent({ ...variants[name]!, locale }, attached);
    const accounts = tables.find(({ rows }) => rows[0]!.title === 'North office')!;
    expect(accounts.note!.toLowerCase()).toBe(tiles[0]!.changes.at(-1)!.comparedWith.toLowerCase());
  }
});

describe('a digest with a dashboard', () => {
  const link = 'https://bi.example.com/?day={day}&account={account}';

  test('has one button that opens it, in HTML and as a line of the text', () => {
    const [button, ...others] = html(figures({ link })).matchAll(/<a href="([^"]*)"[^>]*>([^<]*)</g);
    expect(button!.slice(1)).toEqual([
      'https://bi.example.com/?day=2026-11-19&amp;account=north',
      'Open the dashboard',
    ]);
    expect(others).toEqual([]);
    expect(text(figures({ link }))).toContain(
      '\nOpen the dashboard: https://bi.example.com/?day=2026-11-19&account=north\n',
    );
  });

  test('has none where there is no dashboard', () => {
    expect(html(figures())).not.toContain('<a ');
  });
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
    ['a busy one', busyWeek()],
    ['one with all kinds of news', eventfulWeek()],
    [
      'an incomplete one',
      figures({ accounts: [accountTotals(), { ...coast, ...unknown, state: 'failed' }] }),
    ],
    ['a corrected one', busyWeek({ before: [accountTotals()] })],
    ['none of the day', figures({ accounts: [accountTotals({ ...unknown, state: null })] })],
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
  test('loads nothing from elsewhere, and its chart from the message', () => {
    const page = html(eventfulWeek());
    expect(page).not.toMatch(/https?:|url\(|<link|<script|@import/i);
    expect([...page.matchAll(/src="([^"]*)"/g)].map(([, address]) => address)).toEqual(['cid:chart']);
  });

  test('stays below what Gmail clips, with fifty accounts', () => {
    const accounts = Array.from({ length: 50 }, (_, index) =>
      accountTotals({ account: `a${index}`, label: `Office number ${index}` }),
    );
    expect(Buffer.byteLength(html(eventfulWeek({ accounts })))).toBeLessThan(102_000);
  });

  test('shows in the inbox, beside the subject, what the subject leaves out', () => {
    const preheader = (given: DigestFigures) =>
      /display:none[^>]*>([^<]*)</.exec(html(given))![1]!.replaceAll('&#39;', "'");
    expect(preheader(busyWeek())).toMatch(
      /^A higher connect rate .* · Attempts [+−]\d+% vs Wed · Attempts [+−]\d+% vs a typical Thursday$/,
    );
    expect(preheader(figures({ accounts: [accountTotals({ state: 'failed' })] }))).toBe(
      'Incomplete: all of the day is missing. · Nothing is loaded for that day yet.',
    );
  });

  test('explains hatching in the legend only where a day is hatched', () => {
    const legend = (given: DigestFigures) => /The last 14 days (.*?) Attempts,/.exec(seen(html(given)))![1];
    expect(legend(busyWeek({ coverage: [] }))).toBe('Attempts Connects Connected');
    expect(legend(busyWeek())).toBe('Attempts Connects Connected ▨ incomplete');
  });

  test('has its chart inside where a browser shows it, which has no message to take it from', () => {
    const given = '<img src="cid:chart@callsheet">';
    expect(withChart({ html: given, chart: Buffer.from('a picture') })).toBe(
      '<img src="data:image/png;base64,YSBwaWN0dXJl">',
    );
    expect(withChart({ html: given, chart: null })).toBe(given);
  });

  test('has no chart when there are too few days for one', () => {
    const given = busyWeek();
    const days = (count: number) => given.history.filter(({ day }) => day > `2026-11-${19 - count}`);
    expect(html({ ...given, history: days(2) })).not.toContain('<img');
    expect(html({ ...given, history: days(3) })).toContain('<img');
  });
});

test('a quiet day needs no attention, and doesn’t say so', () => {
  expect(text(figures({ attention: quiet }))).not.toMatch(/attention/i);
});
