import { addDays } from '../../src/model/day.ts';
import type { AccountDay, AccountTotals, DigestFigures } from '../../src/model/digest.ts';
import { daysOf, type Every, periodOf } from '../../src/model/period.ts';
import { busyPeriod, busyWeek, eventfulWeek } from './busy-week.ts';
import { accountDay, accountTotals, figures, quiet, sumsOf } from './figures.ts';
import { digests } from './mails.ts';

const nothing = { attempts: null, busies: null, connects: null, liveAnswers: null };
const coast = { account: 'coast', label: 'Coast office' };

const [north, south] = busyWeek().accounts as [AccountTotals, AccountTotals];

/** The busy week with other counts on its last day: of Coast, `factor` times its attempts; and these connect rates. */
function movedDay(factor: number, northRate: number, coastRate: number): Partial<DigestFigures> {
  const accounts = [moved(north, 1, northRate), moved(south, factor, coastRate)];
  const today = accounts.map((each) => ({
    ...each,
    day: '2026-11-19',
    short: false,
    connectRate: each.rates.connects,
  }));
  const before = busyWeek().history.filter(({ day }) => day < '2026-11-19');
  return { accounts, history: [...before, ...today] };
}

function moved({ account, label, campaigns, ...sums }: AccountTotals, factor: number, rate: number) {
  const attempts = Math.round(Number(sums.attempts) * factor);
  return accountTotals({
    account,
    label,
    campaigns,
    attempts,
    connects: Math.round(attempts * rate),
    busies: Math.round(attempts * 0.1),
    liveAnswers: Math.round(attempts * 0.39),
  });
}

/** A week or month of which an account lacks days. */
function incompletePeriod(every: Every, day: string, lackingDays: readonly string[]): DigestFigures {
  const whole = busyPeriod(periodOf(every, day));
  const [first, second] = whole.accounts;
  return {
    ...whole,
    accounts: [first!, { ...second!, state: 'provisional', lackingDays }],
    coverage: [{ label: 'Coast office', recentlyMissing: lackingDays }],
    completeThrough: addDays(lackingDays[0]!, -1),
  };
}

/** October as it was, after a September like it. */
function twoMonths(): AccountDay[] {
  const { history } = busyWeek();
  const september = history
    .filter(({ day }) => day <= '2026-10-30')
    .map((each) => ({ ...each, day: addDays(each.day, -30), attempts: String(Number(each.attempts) + 400) }));
  return [...september, ...history];
}

/** Not reported by some campaigns, by all of them, or of one count alone. */
function unreportedDay(): DigestFigures {
  const { attempts, busies, connects, liveAnswers } = north;
  return busyWeek({
    accounts: [
      {
        ...accountTotals({ attempts, busies, connects, liveAnswers, campaigns: 41 }),
        unreported: { attempts: 2, busies: 41, connects: 0, liveAnswers: 3 },
      },
      accountTotals({ ...coast, attempts: 1_520, busies: null, connects: null, liveAnswers: null }),
    ],
  });
}

const manyAccounts = Array.from({ length: 15 }, (_, index) =>
  accountTotals({
    account: `a${index}`,
    label: `${['Branch', 'Partner in the northern region', 'Office'][index % 3]} ${index + 1}`,
    campaigns: index + 1,
    attempts: 1_200 * (index + 1),
    connects: 700 * (index + 1),
    liveAnswers: 450 * (index + 1),
    busies: 100 * (index + 1),
    state: index === 7 ? 'failed' : 'loaded',
  }),
);

const lowBalances = Array.from({ length: 10 }, (_, index) => ({
  label: index % 2 === 0 ? 'North office' : 'Coast office',
  name: `Client number ${index + 1} & Sons`,
  balance: String(index * 2.375 - 8),
}));

/** Every variant of a digest, in English, by what is special about it. */
export const variants: { readonly [name: string]: DigestFigures } = {
  'a busy day': digests['a busy day']!,
  'a first digest': digests['a first digest']!,
  'a first digest of two accounts': busyWeek({ history: [], movers: [], coverage: [] }),
  'a quiet day': busyWeek(movedDay(0.3, 0.565, 0.56)),
  'a day of low rates': busyWeek(movedDay(0.97, 0.56, 0.2)),
  'an ordinary day': busyWeek({ ...movedDay(0.96, 0.563, 0.565), movers: [], coverage: [] }),
  'a day after one without calls': busyWeek({
    history: busyWeek().history.map((each) =>
      each.day === '2026-11-18' ? accountDay(each.account, each.day, 0) : each,
    ),
  }),
  'a single account': busyWeek({
    accounts: [north],
    history: busyWeek().history.filter(({ account }) => account === 'north'),
    coverage: [],
  }),
  'many accounts': busyWeek({ accounts: manyAccounts }),
  'a day with every kind of news': digests['a day with every kind of news']!,
  'a day of one change': busyWeek({ attention: { ...quiet, restated: eventfulWeek().attention.restated } }),
  'a day of low balances': busyWeek({
    attention: { ...quiet, lowBalances, lowBalanceCount: 1_237 },
  }),
  'an incomplete day': digests['an incomplete day']!,
  'a day not over': busyWeek({ accounts: [north, { ...south, state: 'provisional' }] }),
  'a corrected day': digests['a corrected day']!,
  'a corrected day of the same sums': busyWeek({ before: busyWeek().accounts }),
  'a corrected day that is still incomplete': busyWeek({
    accounts: digests['an incomplete day']!.accounts,
    before: [
      accountTotals({ attempts: 9_000, connects: 5_000 }),
      ...digests['an incomplete day']!.accounts.slice(1),
    ],
  }),
  'a day that names earlier ones': busyWeek({ earlierDays: ['2026-11-16', '2026-11-17', '2026-11-18'] }),
  'counts not reported': unreportedDay(),
  'attempts not reported': figures({
    accounts: [accountTotals({ ...nothing, connects: 7_613, campaigns: 41 })],
    topCampaigns: [],
  }),
  'nothing reported': figures({ accounts: [accountTotals({ ...nothing, campaigns: 41 })] }),
  'no campaigns': digests['nothing that day']!,
  'no attempts': busyWeek({
    accounts: [accountTotals({ attempts: 0, busies: 0, connects: 0, liveAnswers: 0, campaigns: 3 })],
  }),
  'no calls, with news': eventfulWeek({
    accounts: [
      accountTotals({ ...nothing, campaigns: 0 }),
      accountTotals({ ...coast, ...nothing, campaigns: 0 }),
    ],
  }),
  'nothing loaded': busyWeek({
    accounts: busyWeek().accounts.map((each) => ({
      ...each,
      ...nothing,
      campaigns: 0,
      state: 'failed' as const,
    })),
    completeThrough: null,
    asOf: null,
  }),
  'a day of another year': figures({
    day: '2027-01-04',
    asOf: '2027-01-05 06:30:02+00',
    attention: {
      ...quiet,
      restated: [
        {
          label: 'North office',
          day: '2026-12-30',
          campaigns: 1,
          from: sumsOf({ attempts: null, busies: 1, connects: 2, liveAnswers: 1 }),
          to: sumsOf({ attempts: 5, busies: 1, connects: 2, liveAnswers: 1 }),
        },
      ],
    },
  }),
  'names without end': digests['names without end']!,
  'a week': digests['a week']!,
  'a week across months': busyPeriod(periodOf('week', '2026-11-01')),
  'a first week': { ...busyPeriod(periodOf('week', '2026-10-04')), coverage: [] },
  'an incomplete week': incompletePeriod('week', '2026-11-08', ['2026-11-03', '2026-11-08']),
  'a week that names earlier ones': busyPeriod(periodOf('week', '2026-11-08'), {
    earlierDays: ['2026-10-25', '2026-11-01'],
    attention: eventfulWeek().attention,
  }),
  'a week without calls': {
    ...busyPeriod(periodOf('week', '2026-11-08')),
    accounts: [accountTotals({ ...nothing, campaigns: 0 })],
  },
  'a month': busyPeriod(periodOf('month', '2026-10-31')),
  'a month beside another': busyPeriod(periodOf('month', '2026-10-31'), { history: twoMonths() }),
  'an incomplete month': incompletePeriod(
    'month',
    '2026-10-31',
    daysOf({ from: '2026-10-09', to: '2026-10-14' }),
  ),
};
