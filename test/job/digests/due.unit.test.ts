import { describe, expect, test } from 'vitest';
import {
  type AccountInPeriod,
  type DigestPeriod,
  type DueInput,
  periodsDue,
  planMail,
  whyNoneDue,
} from '../../../src/job/digests/due.ts';
import { windowKey } from '../../../src/job/windows/due.ts';
import type { CurrentFigures } from '../../../src/model/digest.ts';
import type { Every } from '../../../src/model/period.ts';
import { accountTotals, definition, periodFigures } from '../../digest/figures.ts';

const catchUpFrom = new Map(['north', 'coast'].map((account) => [account, '2026-01-01']));

/** So many attempts of an account, confirmed. */
const figuresOf = (
  account: string,
  attempts: number,
  part: Partial<CurrentFigures> = {},
): CurrentFigures => ({
  ...periodFigures(accountTotals({ account, attempts, connects: 0 })),
  accountId: 1,
  lackingDays: [],
  isQuiet: false,
  wasQuiet: false,
  ...part,
});

type Mailed = Partial<Omit<NonNullable<AccountInPeriod['mailed']>, 'attempts'>> & {
  readonly attempts: number;
};

/** An account of a period: what is true, what was mailed, and what a mail has that nobody got. */
function accountIn(
  account: string,
  attempts: number,
  {
    mailed,
    waiting,
    since = '2026-01-01',
    ...now
  }: Partial<CurrentFigures> & { mailed?: Mailed; waiting?: Mailed; since?: string } = {},
): AccountInPeriod {
  const mailedOf = ({ attempts, ...part }: Mailed) => ({ ...figuresOf(account, attempts), ...part });
  return {
    account,
    since,
    now: figuresOf(account, attempts, now),
    mailed: mailed && { skipped: [], ...mailedOf(mailed) },
    waiting: waiting && mailedOf(waiting),
  };
}

const mailedAt = '2026-11-19 06:31:00+00';

const period = (day: string, ...accounts: AccountInPeriod[]): DigestPeriod => ({ day, accounts });

const input = ({ every = 'day', ...part }: Partial<DueInput> & { every?: Every }): DueInput => ({
  digest: definition({ every, accounts: ['north', 'coast'] }),
  state: { start: '2026-01-01', number: 4, mailedAt, waitingMailId: null, newestDay: null },
  unmailed: [],
  updated: [],
  attempted: new Set(),
  catchUpFrom: catchUpFrom,
  ...part,
});

/** The periods of a mail, the one in full first; those that correct one are marked. */
function plan(part: Parameters<typeof input>[0]): string[] {
  const mail = planMail(input(part));
  if (mail === null) return [];
  return [mail, ...mail.earlier].map(
    ({ day, before }) => `${day.slice(5)}${before === null ? '' : ' corrected'}`,
  );
}

const due = (part: Parameters<typeof input>[0]) => periodsDue(input(part)).map(({ day }) => day.slice(5));

describe('a period is due', () => {
  test('once each expected day of each of its accounts is loaded and over, or not attempted any more', () => {
    const lacking = accountIn('coast', 0, { lackingDays: ['2026-11-18'] });
    const unmailed = [period('2026-11-18', accountIn('north', 5), lacking)];
    expect(due({ unmailed })).toEqual([]);
    expect(
      due({ unmailed, attempted: new Set([windowKey({ account: 'north', day: '2026-11-18' })]) }),
    ).toEqual([]);
    expect(
      due({ unmailed, attempted: new Set([windowKey({ account: 'coast', day: '2026-11-18' })]) }),
    ).toEqual(['11-18']);
    const from = (day: string) => new Map([...catchUpFrom, ['coast', day] as const]);
    expect(due({ unmailed, catchUpFrom: from('2026-11-18') })).toEqual([]);
    expect(due({ unmailed, catchUpFrom: from('2026-11-19') })).toEqual(['11-18']);
  });

  test('if an account expected all of it: those that join later stop nothing', () => {
    const of = (...since: string[]) =>
      due({
        every: 'week',
        unmailed: [period('2026-11-15', ...since.map((each) => accountIn('north', 5, { since: each })))],
      });
    expect(of('2026-11-09', '2026-11-15')).toEqual(['11-15']);
    expect(of('2026-11-10', '2026-11-15')).toEqual([]);
    expect(of()).toEqual([]);
  });
});

describe('a mail', () => {
  const mailed = (attempts: number, now: number, part: Partial<Mailed> = {}) =>
    accountIn('north', now, { mailed: { attempts, ...part } });

  test('shows the newest due period in full, and has the others and all news in its table, oldest first', () => {
    const [mon, wed, thu] = ['2026-11-16', '2026-11-18', '2026-11-19'].map((day) =>
      period(day, accountIn('north', 5)),
    ) as [DigestPeriod, DigestPeriod, DigestPeriod];
    const tue = period('2026-11-17', mailed(100, 101));
    const asMailed = period('2026-11-15', mailed(100, 100));
    expect(plan({ unmailed: [mon, wed, thu], updated: [asMailed, tue] })).toEqual([
      '11-19',
      '11-16',
      '11-17 corrected',
      '11-18',
    ]);
    expect(planMail(input({ unmailed: [mon] }))).toMatchObject({
      number: 5,
      mailedAt,
    });
  });

  test('is none for a small change: that goes with the next', () => {
    for (const [before, now] of [
      [100, 101],
      [1_000, 1_099],
      [10, 29],
    ] as const)
      expect(plan({ updated: [period('2026-11-18', mailed(before, now))] }), `${before}`).toEqual([]);
  });

  test.each([
    [100, 120],
    [1_000, 900],
    [0, 20],
  ])('corrects a period that moved by a tenth and by twenty: %d → %d', (before, now) => {
    for (const every of ['day', 'week', 'month'] as const)
      expect(plan({ every, updated: [period('2026-11-18', mailed(before, now))] })).toEqual([
        '11-18 corrected',
      ]);
  });

  test('corrects a period that moved so much, whatever it still lacks', () => {
    for (const state of ['incomplete', 'provisional'] as const) {
      const open = accountIn('coast', 50, { mailed: { attempts: 50, state }, state });
      const updated = [period('2026-11-15', mailed(5_377, 8_467), open)];
      expect(plan({ every: 'week', updated }), state).toEqual(['11-15 corrected']);
    }
  });

  test('adds up the accounts of a period: what one loses, another may gain', () => {
    const coast = accountIn('coast', 80, { mailed: { attempts: 100 } });
    expect(plan({ updated: [period('2026-11-18', mailed(100, 120), coast)] })).toEqual([]);
  });

  test('corrects what was mailed in part once it is confirmed with other figures, and not before', () => {
    for (const state of ['absent', 'incomplete', 'provisional'] as const) {
      const part = { state, content: 'less' };
      expect(plan({ updated: [period('2026-11-18', mailed(100, 101, part))] }), state).toEqual([
        '11-18 corrected',
      ]);
      const same = period('2026-11-18', accountIn('north', 100, { mailed: { attempts: 100, state } }));
      expect(plan({ updated: [same] })).toEqual([]);
      const open = accountIn('coast', 0, { mailed: { attempts: 0 }, state: 'incomplete' });
      expect(plan({ updated: [period('2026-11-18', mailed(100, 101, part), open)] })).toEqual([]);
    }
  });

  test('has news of accounts that were mailed alone: what joined since is none, and stops none', () => {
    const joined = accountIn('coast', 500, { state: 'provisional' });
    const updated = [period('2026-11-18', mailed(100, 200), joined)];
    const mail = planMail(input({ updated, unmailed: [period('2026-11-19', accountIn('north', 5))] }))!;
    expect(mail.earlier).toMatchObject([
      { day: '2026-11-18', accounts: [{ account: 'north' }], before: [{ account: 'north' }] },
    ]);
    expect(plan({ updated })).toEqual(['11-18 corrected']);
    expect(plan({ updated: [period('2026-11-18', joined)] })).toEqual([]);
  });

  test('is none about what was skipped: whatever it is, or this content', () => {
    const now = figuresOf('north', 200).content;
    for (const skipped of [[null], [now]])
      expect(plan({ updated: [period('2026-11-18', mailed(100, 200, { skipped }))] })).toEqual([]);
    expect(plan({ updated: [period('2026-11-18', mailed(100, 200, { skipped: ['else'] }))] })).toEqual([
      '11-18 corrected',
    ]);
  });

  test('repeats what nobody got, but only with something new: alone it is delivered as it was built', () => {
    const waiting = (part: Partial<Mailed> = {}) =>
      period('2026-11-18', accountIn('north', 100, { waiting: { attempts: 100, ...part } }));
    expect(plan({ unmailed: [waiting()] })).toEqual([]);
    expect(plan({ unmailed: [waiting(), period('2026-11-19', accountIn('north', 5))] })).toEqual([
      '11-19',
      '11-18',
    ]);
    // Built without the rest, which is there by now, it is outdated.
    expect(plan({ unmailed: [waiting({ state: 'incomplete', content: 'less' })] })).toEqual(['11-18']);
    // A correction that nobody got.
    const correction = accountIn('north', 200, { mailed: { attempts: 100 }, waiting: { attempts: 200 } });
    expect(plan({ updated: [period('2026-11-17', correction)] })).toEqual([]);
  });
});

describe('a quiet day', () => {
  const silent = { isQuiet: true, wasQuiet: true };
  const quiet = (day: string) => period(day, accountIn('north', 0, silent), accountIn('coast', 0, silent));
  const days = (count: number) =>
    Array.from({ length: count }, (_, index) => quiet(`2026-11-${String(index + 1).padStart(2, '0')}`));
  const calling = (day: string) => period(day, accountIn('north', 5));

  test('gets no mail of its own; the next one names it', () => {
    expect(plan({ unmailed: days(2) })).toEqual([]);
    expect(plan({ unmailed: [...days(2), calling('2026-11-03')] })).toEqual(['11-03', '11-01', '11-02']);
  });

  test('is never what a mail is about if another period is due, or a correction', () => {
    const moved = period('2026-10-30', accountIn('north', 200, { mailed: { attempts: 100 } }));
    expect(plan({ unmailed: days(1), updated: [moved] })).toEqual(['10-30 corrected', '11-01']);
    for (const quietDays of ['skip', 'mail'] as const) {
      const digest = definition({ quietDays });
      expect(plan({ unmailed: [calling('2026-10-31'), ...days(2)], digest }), quietDays).toEqual([
        '10-31',
        '11-01',
        '11-02',
      ]);
    }
    const small = period('2026-10-30', accountIn('north', 101, { mailed: { attempts: 100 } }));
    expect(plan({ unmailed: days(7), updated: [small] })[0]).toBe('11-07');
  });

  test('is mailed as the first of a digest, as the seventh in a row, and by quiet_days: mail', () => {
    expect(plan({ unmailed: days(6) })).toEqual([]);
    expect(plan({ unmailed: days(7) })).toHaveLength(7);
    const first = { start: '2026-01-01', number: 0, mailedAt: null, waitingMailId: null, newestDay: null };
    expect(plan({ unmailed: days(1), state: first })).toEqual(['11-01']);
    const always = definition({ accounts: ['north'], quietDays: 'mail' });
    expect(plan({ unmailed: days(1), digest: always })).toEqual(['11-01']);
  });

  test('waits for the next mail, however old; another day is due within CATCH_UP_DAYS alone', () => {
    const few = new Map(['north', 'coast'].map((account) => [account, '2026-11-06']));
    expect(plan({ unmailed: days(6), catchUpFrom: few })).toEqual([]);
    expect(plan({ unmailed: days(7), catchUpFrom: few })).toHaveLength(7);
    expect(plan({ unmailed: [calling('2026-11-01'), calling('2026-11-06')], catchUpFrom: few })).toEqual([
      '11-06',
    ]);
  });

  test('is one that no account had calls on, though one that joined has no past; one at least has', () => {
    const joined = accountIn('coast', 0, { isQuiet: true });
    const other = accountIn('coast', 0, { wasQuiet: true });
    const of = (...accounts: AccountInPeriod[]) => plan({ unmailed: [period('2026-11-01', ...accounts)] });
    expect(of(accountIn('north', 0, silent), joined)).toEqual([]);
    expect(of(joined)).toEqual(['11-01']);
    expect(of(accountIn('north', 0, silent), other)).toEqual(['11-01']);
  });

  test('is the reason why a run sends nothing', () => {
    const why = (part: Parameters<typeof input>[0]) => whyNoneDue([input(part)], '2026-11-01');
    expect(why({ unmailed: days(1) })).toBe('no digest is due: the next one names the days without calls');
    expect(why({})).toMatch(/^no digest is due: each .* by hand: npm start -- digest --day 2026-11-01$/);
  });
});
