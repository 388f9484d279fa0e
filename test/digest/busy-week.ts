import type { DigestFigures, TopCampaign } from '../../src/model/digest.ts';
import { daysOf, type Period } from '../../src/model/period.ts';
import { type CountName, countNames } from '../../src/model/records.ts';
import {
  type AccountDay,
  accountDay,
  accountTotals,
  anomalies,
  coverage,
  doubted,
  figures,
  type Given,
  mover,
  moversOf,
  quiet,
  sumsOf,
  topCampaign,
} from './figures.ts';

const weekdayShare = [1, 0.96, 1.04, 0.9, 0.82, 0.35, 0.12];

/** Eleven weeks of an account: busy weekdays, quiet weekends, slowly growing. */
function history(account: string, size: number, skipped: readonly string[] = []): AccountDay[] {
  return Array.from({ length: 80 }, (_, day) => {
    const index = day - 30;
    const date = Temporal.PlainDate.from('2026-10-01').add({ days: index });
    const wobble = 1 + 0.09 * Math.sin(index * 2.3 + size);
    const attempts = Math.round(size * weekdayShare[date.dayOfWeek - 1]! * wobble * (0.82 + index * 0.004));
    const connects = Math.round(attempts * (0.58 + 0.03 * Math.cos(index)));
    const sums = sumsOf({
      attempts,
      busies: Math.round(attempts * 0.1),
      connects,
      liveAnswers: Math.round(attempts * 0.39),
    });
    return { ...accountDay(account, date.toString(), attempts, connects), ...sums };
  }).filter(({ day }) => !skipped.includes(day));
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

function campaign(name: string, index: number): TopCampaign {
  const attempts = Math.round(3_900 / (index + 1.2));
  return topCampaign({
    label: index % 3 === 1 ? 'Coast office' : 'North office',
    callsetId: 4_711 + index,
    campaign: name,
    attempts,
    busies: Math.round(attempts * 0.11),
    connects: Math.round(attempts * (0.66 - index * 0.02)),
    liveAnswers: Math.round(attempts * (0.44 - index * 0.02)),
  });
}

/** Figures with all that a digest may have to say. */
export const busyWeek = (part: Given = {}): DigestFigures => figures(busyGiven(part));

/** The same, with the days that it is made of. */
export function busyGiven(part: Given = {}) {
  const north = history('north', 13_000);
  const coast = history('coast', 4_200, ['2026-11-12']);
  const today = (account: AccountDay[]) => account.at(-1)!;
  return {
    day: '2026-11-19',
    accounts: [
      accountTotals({ ...today(north), campaigns: 41 }),
      accountTotals({ ...today(coast), label: 'Coast office', campaigns: 17 }),
    ],
    history: [...north, ...coast],
    topCampaigns: names.map(campaign),
    movers: moversOf(
      [
        mover('Win back', 'Coast office', 476, 1_205),
        mover('Spring renewals 2026', 'North office', 3_250, 2_688),
        mover('Newsletter opt-in', 'North office', 424, 0, { since: '2026-11-16' }),
      ],
      {
        count: 58,
        moved: { attempts: 1_900, rate: 0.02 },
        up: { attempts: 31, rate: 20 },
        down: { attempts: 27, rate: 38 },
      },
    ),
    coverage: [
      coverage(),
      coverage({
        lacking: ['2026-11-12'],
      }),
    ],
    lowBalance: 25,
    ...part,
  };
}

/** The same of a week or a month, whose days are all loaded. */
export function busyPeriod(period: Period, part: Given = {}): DigestFigures {
  const { accounts, history } = busyGiven();
  const sumOf = (account: string, name: CountName) =>
    history
      .filter((each) => each.account === account && each.day >= period.from && each.day <= period.to)
      .reduce((sum, each) => sum + Number(each[name]), 0);
  return busyWeek({
    period,
    day: period.to,
    accounts: accounts.map(({ account, label, campaigns }) => {
      const counts = countNames.map((name) => [name, sumOf(account, name)]);
      const days = daysOf(period);
      const loaded = { loadedDays: days, callingDays: days };
      return accountTotals({ account, label, campaigns, ...loaded, ...Object.fromEntries(counts) });
    }),
    coverage: [],
    extremeRates: [0, 1, 2, 7, 8, 9].map((index) => campaign(names[index]!, index)),
    ...part,
  });
}

/** The same with every kind of news. Two accounts, which usually make little of it, are provisional. */
export function eventfulWeek(part: Given = {}): DigestFigures {
  const busy = busyGiven();
  const today = busy.day;
  const island = history('island', 320);
  const valley = [...history('valley', 260, [today]), accountDay('valley', today, 0)];
  const provisional = [
    { ...island.at(-1)!, label: 'Island office', campaigns: 4, ...doubted(anomalies.announced) },
    { ...valley.at(-1)!, label: 'Valley office', campaigns: 2, ...doubted(anomalies.no_calls) },
  ];
  return busyWeek({
    accounts: [...busy.accounts, ...provisional.map((each) => accountTotals(each))],
    history: [
      ...busy.history,
      ...[...island, ...valley].map((each) => ({ ...each, provisional: each.day === today })),
    ],
    coverage: [...busy.coverage, ...provisional.map(() => coverage({ provisional: [today] }))],
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
      if (each.account === 'island') return { ...account, ...doubted({ ...anomalies.error, text: name }) };
      return each.provisionalDays.length === 0 ? { ...account, state: 'missing' as const } : account;
    }),
    topCampaigns: given.topCampaigns.map((campaign) => ({ ...campaign, campaign: name })),
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
