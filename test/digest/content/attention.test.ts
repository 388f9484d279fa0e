import { describe, expect, test } from 'vitest';
import { attentionPart, attentionPointer } from '../../../src/digest/content/attention.ts';
import { factsOf } from '../../../src/digest/content/facts.ts';
import { createFormat } from '../../../src/digest/format.ts';
import type { Attention, DigestFigures, SuspiciousDay } from '../../../src/model/digest.ts';
import { periodOf } from '../../../src/model/period.ts';
import { accountTotals, figures, quiet, sumsOf } from '../figures.ts';

const format = createFormat('en-GB', 'UTC', '2026-11-19');
const part = (attention: Partial<Attention>, given: Partial<DigestFigures> = {}) =>
  attentionPart(factsOf(figures({ ...given, attention: { ...quiet, ...attention } })), format);

describe('a changed day', () => {
  const to = sumsOf({ attempts: 1_520, busies: 152, connects: 387, liveAnswers: 76 });
  const line = (from: ReturnType<typeof sumsOf>, every: 'day' | 'week') => {
    const restated = [{ label: 'North office', day: '2026-11-12', campaigns: 2, from, to }];
    return part({ restated }, { period: periodOf(every, '2026-11-19') }).items[0]!.lines[0];
  };

  test.each([
    ['week', sumsOf({}), 'now 1,520 attempts, 152 busies, 387 connects, 76 live answers'],
    [
      'day',
      sumsOf({}),
      'attempts not reported → 1,520, busies not reported → 152, connects not reported → 387, live answers not reported → 76',
    ],
    ['week', { ...to, attempts: null, connects: 380 }, 'attempts not reported → 1,520, connects 380 → 387'],
    ['day', to, 'the same sums'],
  ] as const)('of a %s that had %j says what changed', (every, from, change) => {
    expect(line(from, every)).toBe(`North office, Thu 12 Nov: ${change} (2 campaigns)`);
  });
});

test.each([
  ['unreported', 'connects, live_answers', 'most campaigns report no connects and live answers'],
  ['notice', 'Trial\nends soon', 'the service added “Trial ends soon”'],
  ['counts', 'reports is 20, with 10 listed', 'the service announced more campaigns than it listed'],
  ['unreadable', '', 'some records cannot be read'],
] as const)('a response that may be wrong because of %s says so in words', (reason, detail, words) => {
  const suspicious = [
    { label: 'Coast\noffice', day: '2026-11-19', reason, detail } satisfies Attention['suspicious'][0],
  ];
  expect(part({ suspicious }).items).toEqual([
    { title: 'Loaded, but the response may be wrong', lines: [`Coast office, Thu 19 Nov: ${words}`] },
  ]);
});

describe('what needs attention', () => {
  const suspicious = (reason: SuspiciousDay['reason'], count: number) =>
    Array.from({ length: count }, (_, index) => ({
      label: `A${index}`,
      day: '2026-11-19',
      reason,
      detail: null,
    }));
  const held = { label: 'N', day: '2026-11-16', since: '2026-11-19 06:30:11+00', isNew: true };
  const restated = [10, 500].map((attempts) => ({
    label: `by ${attempts}`,
    day: '2026-11-17',
    campaigns: 1,
    from: sumsOf({ attempts: 1_000 }),
    to: sumsOf({ attempts: 1_000 + attempts }),
  }));

  test('is the most serious first, and of one kind the largest', () => {
    const newClients = [{ label: 'N', count: 1_002, names: ['Ana', 'B\tLtd'] }];
    const { items } = part({ newClients, restated, suspicious: suspicious('no calls', 1), held: [held] });
    expect(items.map(({ title, lines }) => [title, lines.length])).toEqual([
      ['Held back', 1],
      ['No calls on a weekday that usually has some', 1],
      ['Changed since the last digest', 2],
      ['New clients', 1],
    ]);
    expect(items[2]!.lines[0]).toMatch(/^by 500/);
    expect(items[3]!.lines).toEqual(['N: Ana, B Ltd and 1,000 more']);
  });

  test('is at most five lines, and the others’ number and kinds', () => {
    const { items } = part({ held: [held], suspicious: suspicious('no calls', 7), restated });
    expect(items.slice(0, -1).flatMap(({ lines }) => lines)).toHaveLength(5);
    expect(items.at(-1)).toEqual({
      title: '5 more',
      lines: ['No calls on a weekday that usually has some · Changed since the last digest'],
    });
  });

  test('is no response that was held before: it is counted', () => {
    const { items, ongoing } = part({ held: [{ ...held, isNew: false }] });
    expect([items, ongoing]).toEqual([[], ['Still held back: 1 day.']]);
  });

  test('names balances that are new below the limit, and counts the others', () => {
    const lowest = [{ label: 'North office', name: 'Grove Dental', balance: '-3.50' }];
    const both = [accountTotals(), accountTotals({ account: 'coast', label: 'Coast office' })];
    const ongoing = (newCount: number, accounts = [accountTotals()]) =>
      part(
        { lowBalances: { count: 93, newCount, lowest: newCount === 0 ? [] : lowest } },
        { lowBalance: 25, accounts },
      ).ongoing;
    expect(ongoing(0)).toEqual(['93 balances below 25.00.']);
    expect(ongoing(1)).toEqual(['93 balances below 25.00, 1 of them new: Grove Dental (−3.50).']);
    expect(ongoing(7, both)).toEqual([
      '93 balances below 25.00, 7 of them new: Grove Dental (−3.50, North office) and 6 more.',
    ]);
  });
});

const item = (title: string, ...lines: string[]) => ({ title, lines });

test.each([
  ['nothing', [], null],
  ['one thing', [item('Held back', 'a')], 'Needs attention: Held back, a'],
  ['two of a kind', [item('Held back', 'a', 'b')], 'Needs attention: Held back'],
  ['two kinds', [item('A', 'a'), item('B', 'b')], 'Needs attention: A · B'],
  [
    'five kinds',
    ['A', 'B', 'C', 'D', 'E'].map((title) => item(title, 'a')),
    'Needs attention: A · B · C · 2 more',
  ],
])('the line at the top names %s', (_, given, line) => {
  expect(attentionPointer(given, format)).toBe(line);
});
