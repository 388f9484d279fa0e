import { shownDays } from '../../src/digest/content/totals.ts';
import type { Day } from '../../src/model/day.ts';
import type { CampaignFigures, DigestFigures, SpanSums } from '../../src/model/digest.ts';
import { daysOf, type Period, periodOf } from '../../src/model/period.ts';
import { countNames } from '../../src/model/records.ts';
import {
  accountTotals,
  anomalies,
  campaign,
  campaignsOf,
  chartDay,
  figures,
  type Given,
  provisionalBy,
  quiet,
  ratesAt,
  ratesOf,
  span,
  sumsOf,
  typical,
} from './figures.ts';

const weekdayShare = [1, 0.96, 1.04, 0.9, 0.82, 0.35, 0.12];

/** What all accounts did on a day: busy weekdays, quiet weekends, slowly growing. */
function countsOn(day: Day) {
  if (day === '2026-11-19') return { attempts: 16_350, connects: 9_903 };
  const index = Temporal.PlainDate.from('2026-10-01').until(day).days;
  const wobble = 1 + 0.09 * Math.sin(index * 2.3);
  const { dayOfWeek } = Temporal.PlainDate.from(day);
  const attempts = Math.round(17_200 * weekdayShare[dayOfWeek - 1]! * wobble * (0.82 + index * 0.004));
  return { attempts, connects: Math.round(attempts * (0.58 + 0.03 * Math.cos(index))) };
}

/** What isn't as it should be on days of the chart. */
export type Marks = { readonly lacking?: readonly Day[]; readonly provisional?: readonly Day[] };

const marked = (days: readonly Day[], { lacking = [], provisional = [] }: Marks): Partial<SpanSums> => ({
  loadedDays: days,
  lackingDays: days.filter((day) => lacking.includes(day)),
  provisionalDays: days.filter((day) => provisional.includes(day)).map((day) => ({ day, anomalies: [] })),
});

/** The days of the chart of a period, and the week and month up to a day. */
export function chartOf(period: Period, marks: Marks = {}): Pick<DigestFigures, 'days' | 'toDate'> {
  const upTo = (every: 'week' | 'month', from: Day, attempts: number, connects: number) => ({
    every,
    from,
    ...span(attempts, marked(daysOf({ from, to: period.to }), marks), connects),
  });
  return {
    days: shownDays(period).map((day) => {
      const { attempts, connects } = countsOn(day);
      return chartDay(day, attempts, marked([day], marks), connects);
    }),
    toDate:
      period.every === 'day'
        ? [upTo('week', '2026-11-16', 67_783, 38_890), upTo('month', '2026-11-01', 243_140, 140_520)]
        : [],
  };
}

const names = [
  'Spring renewals 2026',
  'Payment reminders, second call',
  'Appointment confirmations for the clinics of the northern region and their partner practices',
  'Survey: satisfaction after delivery',
  'Ñandú verano — recordatorio',
  '"Quoted", <b>bold</b> & co.',
  'Donbass-Отклик 24/7',
  'Win back',
  'Newsletter opt-in',
  'Callsheet_internal_test_campaign_without_any_space_in_its_very_long_name',
];

const officeOf = (index: number) =>
  index % 3 === 1 ? { account: 'coast', label: 'Coast office' } : { account: 'north', label: 'North office' };

/** What some of them typically have: one began. */
const changes: { readonly [name: string]: number } = {
  'Spring renewals 2026': 2_688,
  'Win back': 1_205,
  'Newsletter opt-in': 0,
};

/** The largest campaigns, as many times as large; some changed, and all connect better. */
export const campaignRows = (times = 1, since = '2026-11-16'): CampaignFigures[] =>
  names.map((name, index) => {
    const now = times * Math.round(3_900 / (index + 1.2));
    const share = 0.66 - index * 0.02;
    const typical = times * (changes[name] ?? Math.round((0.97 * now) / times));
    const began = typical === 0 ? since : null;
    const counts = sumsOf({
      attempts: now,
      busies: Math.round(now * 0.11),
      connects: Math.round(now * share),
      liveAnswers: Math.round(now * (share - 0.22)),
    });
    return {
      ...campaign(name, '', now, typical, { ...officeOf(index), callsetId: 4_711 + index, since: began }),
      ...counts,
      rates: ratesOf(counts),
      part: { attempts: { now, typical }, rate: ratesAt(now, typical, share, share - 0.032) },
    };
  });

/** Figures with all that a digest may have to say. */
export const busyWeek = (part: Given = {}): DigestFigures => figures(busyGiven(part));

/** What they are made of. */
export function busyGiven(part: Given = {}) {
  return {
    day: '2026-11-19',
    accounts: [
      accountTotals(),
      accountTotals({
        account: 'coast',
        label: 'Coast office',
        campaigns: 17,
        attempts: 3_870,
        busies: 387,
        connects: 2_290,
        liveAnswers: 1_509,
      }),
    ],
    typical: [
      { ...typical('north', 11_930, 6_900), liveAnswers: 4_690 },
      { ...typical('coast', 3_600, 2_010), liveAnswers: 1_404 },
    ],
    ...chartOf(periodOf('day', '2026-11-19'), { lacking: ['2026-11-12'] }),
    campaigns: campaignsOf(campaignRows(), {
      count: 58,
      up: { attempts: 31, rate: 38 },
      down: { attempts: 27, rate: 20 },
    }),
    lowBalance: 25,
    ...part,
  };
}

/** The same of a week or a month, whose days are all loaded. */
export function busyPeriod(period: Period, part: Given = {}): DigestFigures {
  const busy = busyGiven();
  const workdays = { day: 1, week: 5, month: 22 }[period.every];
  const callingDays = period.every === 'month' ? { now: 22, typical: 21 } : null;
  const times = (count: number | bigint | null) => Number(count) * workdays;
  return busyWeek({
    period,
    day: period.to,
    accounts: busy.accounts.map(({ account, label, campaigns, ...totals }) =>
      accountTotals({
        account,
        label,
        campaigns,
        loadedDays: daysOf(period),
        ...Object.fromEntries(countNames.map((name) => [name, times(totals[name])])),
      }),
    ),
    typical: busy.typical.map(({ account, attempts, connects, liveAnswers }) => ({
      ...typical(account, 0.9 * times(attempts), 0.9 * times(connects!)),
      liveAnswers: 0.9 * times(liveAnswers!),
      callingDays,
    })),
    ...chartOf(period),
    campaigns: { ...busy.campaigns, rows: campaignRows(workdays, period.from) },
    ...part,
  });
}

/** The same with every kind of news. Two accounts, which usually make little of it, are provisional. */
export function eventfulWeek(part: Given = {}): DigestFigures {
  const busy = busyGiven();
  const [island, valley] = [
    { account: 'island', label: 'Island office', campaigns: 4 },
    { account: 'valley', label: 'Valley office', campaigns: 2 },
  ];
  return busyWeek({
    accounts: [
      ...busy.accounts,
      {
        ...accountTotals({ ...island, attempts: 298, busies: 30, connects: 171, liveAnswers: 116 }),
        ...provisionalBy(anomalies.announced),
      },
      {
        ...accountTotals({ ...valley, attempts: 0, busies: 0, connects: 0, liveAnswers: 0 }),
        ...provisionalBy(anomalies.no_calls),
      },
    ],
    typical: [...busy.typical, typical('island', 310), typical('valley', 244)],
    ...chartOf(periodOf('day', busy.day), { lacking: ['2026-11-12'], provisional: [busy.day] }),
    attention: {
      ...quiet,
      held: [{ label: 'Coast office', day: '2026-11-16', since: '2026-11-19 06:30:11.5+00', isNew: true }],
      newClients: [
        { label: 'North office', count: 7, names: ['Ana Ltd', 'Ben & Sons', 'Cora', 'Dune', 'Ems'] },
      ],
      vanishedClients: [{ label: 'Coast office', count: 1, names: ['Faded Signs Inc.'] }],
      lowBalances: {
        count: 93,
        newCount: 2,
        lowest: [
          { label: 'North office', name: 'Grove Dental', balance: '-3.50' },
          { label: 'Coast office', name: 'Harbour Cars', balance: '11.375' },
        ],
      },
    },
    ...part,
  });
}

/** The same, with accounts, campaigns, clients and an error of this name. */
export function everythingNamed(name: string): DigestFigures {
  const given = eventfulWeek();
  const { attention } = given;
  return {
    ...given,
    accounts: given.accounts.map((each) => {
      const account = { ...each, label: name };
      if (each.account === 'island')
        return { ...account, ...provisionalBy({ ...anomalies.remark, sign: name }) };
      return each.provisionalDays.length === 0 ? { ...account, state: 'missing' as const } : account;
    }),
    campaigns: {
      ...given.campaigns,
      rows: given.campaigns.rows.map((campaign) => ({ ...campaign, campaign: name, label: name })),
    },
    attention: {
      ...attention,
      lowBalances: {
        ...attention.lowBalances,
        lowest: attention.lowBalances.lowest.map((client) => ({ ...client, name })),
      },
      newClients: [{ label: name, count: 1, names: [name] }],
    },
  };
}
