import { describe, expect, test } from 'vitest';
import { attentionItems, attentionPointer } from '../../../src/digest/content/attention.ts';
import { createFormat } from '../../../src/digest/format.ts';
import type { Attention, DigestFigures, SuspiciousDay } from '../../../src/model/digest.ts';
import { periodOf } from '../../../src/model/period.ts';
import { accountTotals, figures, quiet, sumsOf } from '../figures.ts';

const format = createFormat('en-GB', 'UTC', '2026-11-19');
const items = (attention: Partial<Attention>, part: Partial<DigestFigures> = {}, balances = false) =>
  attentionItems(figures({ ...part, attention: { ...quiet, ...attention } }), balances, format);

describe('a changed day', () => {
  const to = sumsOf({ attempts: 1_520, busies: 152, connects: 387, liveAnswers: 76 });
  const line = (from: ReturnType<typeof sumsOf>, every: 'day' | 'week') => {
    const restated = [{ label: 'North office', day: '2026-11-12', campaigns: 2, from, to }];
    return items({ restated }, { period: periodOf(every, '2026-11-19') })[0]!.lines[0];
  };

  test('of a week or month that reported nothing of it has its sums: the day may have been missing then', () => {
    expect(line(sumsOf({}), 'week')).toBe(
      'North office, Thu 12 Nov: now 1,520 attempts, 152 busies, 387 connects, 76 live answers (2 campaigns)',
    );
  });

  test('of a day that had no counts had them unreported: it was complete then', () => {
    expect(line(sumsOf({}), 'day')).toBe(
      'North office, Thu 12 Nov: attempts not reported → 1,520, busies not reported → 152, connects not reported → 387, live answers not reported → 76 (2 campaigns)',
    );
  });

  test('of a week that reported some of its counts has what changed', () => {
    expect(line({ ...to, attempts: null, connects: '380' }, 'week')).toBe(
      'North office, Thu 12 Nov: attempts not reported → 1,520, connects 380 → 387 (2 campaigns)',
    );
  });

  test('says so where its sums are the same', () => {
    expect(line(to, 'day')).toBe('North office, Thu 12 Nov: the same sums (2 campaigns)');
  });
});

describe('a response that may be wrong', () => {
  const lines = (reason: SuspiciousDay['reason'], detail: string | null) =>
    items({ suspicious: [{ label: 'Coast\noffice', day: '2026-11-19', reason, detail }] });

  test.each([
    [
      'unreported',
      'connects, live_answers',
      'Coast office, Thu 19 Nov: most campaigns report no connects and live answers',
    ],
    [
      'unreported',
      'attempts, busies',
      'Coast office, Thu 19 Nov: most campaigns report no attempts and busies',
    ],
    ['notice', 'Trial\nends soon', 'Coast office, Thu 19 Nov: the service added “Trial ends soon”'],
    [
      'counts',
      'reports is 20, with 10 listed',
      'Coast office, Thu 19 Nov: the service announced more campaigns than it listed',
    ],
    ['unreadable', '', 'Coast office, Thu 19 Nov: some records can not be read'],
  ] as const)('of %s says %s in words', (reason, detail, line) => {
    expect(lines(reason, detail)).toEqual([
      { title: 'Loaded, but the response may be wrong', lines: [line] },
    ]);
  });

  test('without calls is one of a weekday that usually has some', () => {
    expect(lines('no calls', null)).toEqual([
      { title: 'No calls on a weekday that usually has some', lines: ['Coast office, Thu 19 Nov'] },
    ]);
  });
});

describe('a list that is long', () => {
  const linesOf = (count: number) => {
    const days = Array.from({ length: count }, (_, index) => `2026-10-${10 + index}`);
    const suspicious = days.map((day) => ({ label: 'N', day, reason: 'no calls' as const, detail: null }));
    return items({ suspicious })[0]!;
  };

  test('has ten lines and how many more there are, and never counts a single one that it could show', () => {
    const shown = linesOf(20).lines.slice(0, 10);
    expect(shown).toEqual(
      Array.from({ length: 10 }, (_, index) => `N, ${format.day(`2026-10-${10 + index}`)}`),
    );
    expect(linesOf(10).lines).toEqual(shown);
    expect(linesOf(11).lines).toEqual([...shown, 'N, Tue 20 Oct']);
    expect(linesOf(12)).toEqual({
      title: 'No calls on a weekday that usually has some',
      lines: [...shown, '2 more'],
    });
  });

  test('of clients has the first of them, and how many more there are', () => {
    const newClients = [{ label: 'North', count: 1_002, names: ['Ana', 'B\tLtd'] }];
    expect(items({ newClients })).toEqual([
      { title: 'New clients', lines: ['North: Ana, B Ltd and 1,000 more'] },
    ]);
  });
});

describe('low balances', () => {
  const lowBalances = [{ label: 'North office', name: 'Grove Dental', balance: '-3.50' }];
  const both = [accountTotals(), accountTotals({ account: 'coast', label: 'Coast office' })];
  const low = (accounts: DigestFigures['accounts'], lowBalanceCount: number, attached = false) =>
    items({ lowBalances, lowBalanceCount }, { accounts, lowBalance: 25 }, attached);

  test('name their account where the digest has several', () => {
    expect(low(both, 1)).toEqual([
      { title: 'Balance below 25.00', lines: ['Grove Dental (North office): −3.50'] },
    ]);
    expect(low([accountTotals()], 1)).toEqual([
      { title: 'Balance below 25.00', lines: ['Grove Dental: −3.50'] },
    ]);
  });

  test('say how many more there are, and where', () => {
    expect(low([accountTotals()], 1_238)[0]!.lines).toEqual(['Grove Dental: −3.50', '1,237 more']);
    expect(low([accountTotals()], 3, true)[0]!.lines).toEqual([
      'Grove Dental: −3.50',
      '2 more: the attached balances file lists them all',
    ]);
  });
});

describe('the line at the top', () => {
  const item = (title: string, ...lines: string[]) => ({ title, lines });

  test.each([
    ['nothing', [], null],
    ['one thing', [item('Held back', 'a')], 'Needs attention: Held back: a'],
    ['two of a kind', [item('Held back', 'a', 'b')], 'Needs attention: Held back'],
    ['two kinds', [item('A', 'a'), item('B', 'b')], 'Needs attention: A · B'],
    ['three kinds', [item('A', 'a'), item('B', 'b'), item('C', 'c')], 'Needs attention: A · B · C'],
    [
      'four kinds',
      [item('A', 'a'), item('B', 'b'), item('C', 'c'), item('D', 'd')],
      'Needs attention: A · B · C · 1 more',
    ],
  ])('names %s', (_, given, line) => {
    expect(attentionPointer(given, format)).toBe(line);
  });
});
