import { describe, expect, test } from 'vitest';
import { toDate, toDateTable } from '../../../src/digest/content/to-date.ts';
import { createFormat } from '../../../src/digest/format.ts';
import { addDays } from '../../../src/model/day.ts';
import { accountDay, figures, totalsOf } from '../figures.ts';

/** A hundred attempts a day, and a tenth more a week later. */
function daysOf(account: string, from: string, to: string) {
  const length = Temporal.PlainDate.from(from).until(to).days + 1;
  return Array.from({ length }, (_, index) => {
    const day = addDays(from, index);
    return accountDay(account, day, day < '2026-11-16' ? 100 : 110, 50);
  });
}

const day = '2026-11-19';
const accounts = [totalsOf('north', 110)];
const spans = (on: string) =>
  toDate(figures({ day: on, accounts, history: daysOf('north', addDays(on, -70), on) })).map(
    ({ period, span, before }) => [period, span.from, span.to, before.from, before.to].join(' '),
  );

describe('to date', () => {
  test('is the week from Monday and the month, beside the same days before', () => {
    expect(spans(day)).toEqual([
      'week 2026-11-16 2026-11-19 2026-11-09 2026-11-12',
      'month 2026-11-01 2026-11-19 2026-10-01 2026-10-19',
    ]);
  });

  test('leaves out a week and a month on their first day, which says it all', () => {
    expect(spans('2026-11-16').map((each) => each.split(' ')[0])).toEqual(['month']);
    expect(spans('2026-12-01').map((each) => each.split(' ')[0])).toEqual(['week']);
    expect(spans('2026-06-01')).toEqual([]);
  });

  test('compares the end of a month with all of a shorter one', () => {
    expect(spans('2026-03-31')[1]).toBe('month 2026-03-01 2026-03-31 2026-02-01 2026-02-28');
  });

  test('has sums and the changes of both', () => {
    const history = daysOf('north', '2026-10-01', day);
    expect(toDate(figures({ accounts, history }))[0]).toMatchObject({
      accounts: 1,
      attempts: 440n,
      connectRate: 200 / 440,
      attemptsChange: { now: 440, reference: 400 },
      rateChange: { now: 200 / 440, reference: 0.5 },
    });
  });

  test('is over accounts that have all of its days, and compares those that have the ones before, too', () => {
    const both = [...accounts, totalsOf('coast', 110)];
    const history = [...daysOf('north', '2026-10-01', day), ...daysOf('coast', '2026-11-16', day)];
    const [week, month] = toDate(figures({ accounts: both, history }));
    expect(week).toMatchObject({ accounts: 2, attempts: 880n, attemptsChange: { now: 440, reference: 400 } });
    expect(month).toMatchObject({ accounts: 1 });
    expect(
      toDate(figures({ accounts, history: history.filter((each) => each.day !== '2026-11-17') })),
    ).toEqual([]);
  });

  test('is over accounts that report their attempts on all of its days', () => {
    const unreported = (on: string) =>
      daysOf('north', '2026-10-01', day).map((each) =>
        each.day === on ? { ...each, attempts: null } : each,
      );
    expect(toDate(figures({ accounts, history: unreported('2026-11-17') }))).toEqual([]);
    expect(toDate(figures({ accounts, history: unreported('2026-11-10') }))).toEqual([
      {
        period: 'week',
        span: { from: '2026-11-16', to: day },
        before: { from: '2026-11-09', to: '2026-11-12' },
        accounts: 1,
        attempts: 440n,
        connectRate: 200 / 440,
        attemptsChange: null,
        rateChange: null,
      },
    ]);
  });

  test.each([
    ['before', '2026-11-15', 200 / 440],
    ['now', day, null],
  ])('has no change of a rate that nobody has %s', (_, to, connectRate) => {
    const from = to === day ? '2026-11-16' : '2026-11-01';
    const history = daysOf('north', '2026-10-01', day).map((each) =>
      each.day >= from && each.day <= to ? { ...each, connectRate: { part: null, attempts: null } } : each,
    );
    const given = figures({ accounts, history });
    expect(toDate(given)[0]).toMatchObject({
      connectRate,
      attemptsChange: { now: 440, reference: 400 },
      rateChange: null,
    });
    expect(toDateTable(given, createFormat('en-GB', 'UTC', day))!.rows[0]!.changes).toEqual(['+10%', null]);
  });

  test('names its own days alone where the ones before aren’t there', () => {
    const given = figures({ accounts, history: daysOf('north', '2026-11-16', day) });
    expect(toDateTable(given, createFormat('en-GB', 'UTC', day))).toEqual({
      heading: 'To date',
      note: null,
      columns: ['Period', 'Attempts', 'Connected'],
      rows: [
        {
          title: 'Week to date',
          under: '16–19 Nov',
          cells: ['440', '45.5%'],
          changes: [null, null],
        },
      ],
    });
  });

  test('reads as a table, the days named', () => {
    const both = [...accounts, totalsOf('coast', 110)];
    const table = toDateTable(
      figures({ accounts: both, history: daysOf('north', '2026-10-01', day) }),
      createFormat('en-GB', 'UTC', day),
    )!;
    expect(table.rows[0]).toEqual({
      title: 'Week to date',
      under: '16–19 Nov vs 9–12 Nov, 1 of 2 accounts',
      cells: ['440', '45.5%'],
      changes: ['+10%', '−4.5 points'],
    });
  });
});
