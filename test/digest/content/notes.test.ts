import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../src/digest/content/facts.ts';
import { closingLines, emptyLine, notes } from '../../../src/digest/content/notes.ts';
import { createFormat } from '../../../src/digest/format.ts';
import type { CsvAttachment, DigestFigures } from '../../../src/model/digest.ts';
import { periodOf } from '../../../src/model/period.ts';
import { accountTotals, attached, figures, sender } from '../figures.ts';

const format = createFormat('en-GB', 'UTC', '2026-11-19');
const notesOf = (part: Partial<DigestFigures>) => notes(factsOf(figures(part)), format);

const nothing = { campaigns: 0, attempts: null, busies: null, connects: null, liveAnswers: null };
const zeros = { attempts: 0, busies: 0, connects: 0, liveAnswers: 0 };
const coast = { account: 'coast', label: 'Coast office' };
const failed = accountTotals({ ...coast, ...nothing, state: 'failed' });

test('a digest of which all is loaded, reported and new has no notes', () => {
  expect(notesOf({})).toEqual([]);
});

describe('a corrected digest', () => {
  const title = 'Corrected: this replaces the digest sent for that day.';

  test('says which accounts changed, and how', () => {
    const accounts = [accountTotals(), accountTotals({ ...coast, attempts: 1_520 })];
    const before = [accountTotals({ attempts: 9_000, connects: null }), accounts[1]!];
    expect(notesOf({ accounts, before })).toEqual([
      {
        kind: 'change',
        title,
        lines: ['North office: attempts 9,000 → 12,480, connects not reported → 7,613'],
      },
    ]);
  });

  test('says so where the sums are the same', () => {
    expect(notesOf({ before: [accountTotals()] })).toEqual([
      { kind: 'change', title, lines: ['The sums are the same; campaigns among them changed.'] },
    ]);
  });

  test('has the sums of an account that wasn’t loaded, or wasn’t one of it', () => {
    for (const before of [[{ ...accountTotals(), ...nothing, state: 'failed' as const }], []])
      expect(notesOf({ before })).toEqual([
        {
          kind: 'change',
          title,
          lines: [
            'North office: not loaded → 12,480 attempts, 1,248 busies, 7,613 connects, 4,992 live answers',
          ],
        },
      ]);
  });

  test('promises no other one, and leaves out what is still missing', () => {
    expect(
      notesOf({ accounts: [accountTotals(), failed], before: [accountTotals({ attempts: 1 }), failed] }),
    ).toEqual([
      { kind: 'change', title, lines: ['North office: attempts 1 → 12,480'] },
      {
        kind: 'warning',
        title: 'Incomplete: part of the day is missing.',
        lines: ['Coast office: not loaded'],
      },
    ]);
  });
});

describe('an incomplete digest', () => {
  const accounts = [accountTotals(), accountTotals({ ...coast, state: 'provisional' })];

  test('of a day says what follows', () => {
    expect(notesOf({ accounts })).toEqual([
      {
        kind: 'warning',
        title: 'Incomplete: part of the day is missing.',
        lines: ['Coast office: the day was not over', 'A corrected digest follows once the rest is there.'],
      },
    ]);
  });

  test.each([
    [['2026-11-16'], 'Mon 16 Nov'],
    [['2026-11-16', '2026-11-17', '2026-11-18'], 'Mon 16 Nov, Tue 17 Nov and Wed 18 Nov'],
    [['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'], '4 days'],
  ])('of a week names the days that are missing, up to three: %j', (lackingDays, days) => {
    const period = periodOf('week', '2026-11-19');
    const given = [accountTotals({ state: 'provisional', lackingDays })];
    expect(notesOf({ period, accounts: given })[0]!.lines).toEqual([
      `North office: ${days} not loaded, or not over`,
      'A corrected digest follows once the rest is there.',
    ]);
  });
});

test('figures that may be low say so, which accounts’, and that a corrected digest follows', () => {
  const accounts = Array.from({ length: 8 }, (_, index) =>
    accountTotals({ account: `a${index}`, label: `A${index}`, shortDays: ['2026-11-19'] }),
  );
  expect(notesOf({ accounts })).toEqual([
    {
      kind: 'warning',
      title: 'Figures may be low: by the service’s own response, campaigns or counts are missing.',
      lines: ['A0, A1, A2, A3, A4 and 3 more', 'A corrected digest follows once the rest is there.'],
    },
  ]);
});

describe('counts that the service didn’t report', () => {
  const title = 'Not reported by the service, and in no sum or rate:';
  const some = (attempts: number) => ({ attempts, busies: 0, connects: 3, liveAnswers: 0 });

  test('are a warning where attempts are among them', () => {
    const accounts = [
      accountTotals({ unreported: some(0) }),
      accountTotals({ ...coast, unreported: some(1) }),
    ];
    expect(notesOf({ accounts })).toEqual([
      {
        kind: 'warning',
        title,
        lines: [
          'North office: connects of 3 of 41 campaigns',
          'Coast office: attempts of 1 of 41 campaigns and connects of 3 of 41 campaigns',
        ],
      },
    ]);
  });

  test('are a plain note where they aren’t, of the accounts that have some', () => {
    const accounts = [accountTotals({ unreported: some(0) }), accountTotals(coast)];
    expect(notesOf({ accounts })).toEqual([
      { kind: 'plain', title, lines: ['North office: connects of 3 of 41 campaigns'] },
    ]);
  });

  test('are none of an account of which no expected day is loaded, but one before its first is', () => {
    const before = accountTotals({ ...coast, unreported: some(1), state: 'failed' });
    const accounts = [accountTotals({ unreported: some(0) }), before];
    expect(notesOf({ period: periodOf('week', '2026-11-19'), accounts })).toEqual([
      {
        kind: 'warning',
        title: 'Incomplete: part of the week is missing.',
        lines: ['Coast office: not loaded', 'A corrected digest follows once the rest is there.'],
      },
      { kind: 'plain', title, lines: ['North office: connects of 3 of 41 campaigns'] },
    ]);
  });
});

test('accounts with the same campaigns are one note with five names, in a week with the days', () => {
  const days = ['2026-11-16', '2026-11-18'];
  const accounts = [
    { name: 'coast', label: 'Coast office' },
    { name: 'valley', label: 'Valley' },
  ];
  const sameCampaigns = [{ accounts, days }];
  const title =
    'Probably counted more than once: Coast office and Valley have the same campaigns with the same counts.';
  expect(notesOf({ sameCampaigns })).toEqual([{ kind: 'warning', title, lines: [] }]);
  expect(notesOf({ sameCampaigns, period: periodOf('week', '2026-11-19') })).toEqual([
    { kind: 'warning', title, lines: ['Mon 16 Nov and Wed 18 Nov'] },
  ]);
  const forty = Array.from({ length: 40 }, (_, index) => ({ name: `o${index}`, label: `Office ${index}` }));
  expect(notesOf({ sameCampaigns: [{ accounts: forty, days }] })).toEqual([
    {
      kind: 'warning',
      title: expect.stringMatching(/: Office 0, Office 1, .*, Office 4 and 35 more have the same/),
      lines: [],
    },
  ]);
});

describe('in place of figures', () => {
  const line = (...accounts: DigestFigures['accounts']) => emptyLine(factsOf(figures({ accounts })), format);
  const idle = accountTotals({ ...zeros, campaigns: 3 });

  test('stands that there were no calls, or that nothing is loaded', () => {
    expect(line(accountTotals({ ...zeros, campaigns: 0 }))).toBe(
      'No calls: the service lists no campaigns for that day.',
    );
    expect(line(idle)).toBe('No calls: no campaign made an attempt.');
    expect(line(failed)).toBe('Nothing is loaded for that day yet.');
  });

  test('stands nothing where a part isn’t known: an account that is missing, attempts that aren’t reported', () => {
    expect(line(idle, failed)).toBeNull();
    expect(line({ ...idle, unreported: { ...idle.unreported, attempts: 1 } })).toBeNull();
    expect(line(accountTotals({ attempts: null }))).toBeNull();
  });
});

describe('the end', () => {
  const closing = (part: Partial<DigestFigures>, csv: CsvAttachment = attached) =>
    closingLines(factsOf(figures(part)), csv, sender, format);
  const meanings = 'Connected, live and busy are per attempt, where both are reported. A dash: not reported.';
  const why =
    'You get “Campaigns” from Callsheet <reports@example.com>. To stop it, write to ops@example.com.';

  test('says how far it is complete, where the CSV is, what the words mean and why it came', () => {
    expect(closing({})).toEqual([
      'Complete through Thursday 19 November 2026. Updated 20 Nov, 06:30 UTC.',
      'Every campaign of the day is in the attached CSV.',
      `${meanings} Typical: the mean of that weekday in the four weeks before.`,
      why,
    ]);
  });

  test('says whom to ask if the CSV doesn’t have all campaigns', () => {
    expect(closing({}, { ...attached, isWhole: false })[1]).toBe(
      'The campaigns of the day are too many for one mail: the attached CSV has the first. Ask ops@example.com for all.',
    );
  });

  test('explains no typical weekday of a week, and nothing where there are no figures', () => {
    expect(closing({ period: periodOf('week', '2026-11-19') })[2]).toBe(meanings);
    expect(closing({ accounts: [failed], asOf: null, completeThrough: null })).toEqual([
      'Not complete yet.',
      why,
    ]);
    expect(closing({ accounts: [accountTotals({ shortDays: ['2026-11-19'] })], asOf: null })[0]).toBe(
      'Not complete yet.',
    );
  });
});
