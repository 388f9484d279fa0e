import { composeDigest } from '../../src/digest/compose.ts';
import { composeAlert } from '../../src/digest/compose-alert.ts';
import { withChart } from '../../src/digest/render/html.ts';
import type { ActiveAlert } from '../../src/model/alert.ts';
import type { Day } from '../../src/model/day.ts';
import type {
  AccountTotals,
  CampaignFigures,
  DigestFigures,
  DigestMessage,
  PeriodParts,
  SpanSums,
} from '../../src/model/digest.ts';
import { periodOf } from '../../src/model/period.ts';
import { busyGiven, busyPeriod, busyWeek, campaignRows, chartOf, eventfulWeek } from './busy-week.ts';
import {
  accountTotals,
  anomalies,
  attached,
  campaign,
  campaignsOf,
  figures,
  noFigures,
  periodFigures,
  provisionalBy,
  quiet,
  ratesAt,
  ratesOf,
  sumsOf,
  totalsOf,
  typical,
} from './figures.ts';

const failed = accountTotals({ account: 'coast', label: 'Coast office', state: 'missing', ...noFigures });
const long = 'Unbreakable'.repeat(1_000);

const today = periodOf('day', '2026-11-19');

/** A day of one office, which typically makes so many attempts. */
function oneOffice(attempts: number, rows: readonly CampaignFigures[]): DigestFigures {
  const [connects, live] = [0.606 * attempts, 0.398 * attempts];
  return figures({
    accounts: [accountTotals({ attempts: 16_350, busies: 1_635, connects: 9_903, liveAnswers: 6_501 })],
    typical: [{ ...typical('north', attempts, connects), liveAnswers: live }],
    campaigns: campaignsOf(rows.map((row) => ({ ...row, account: 'north' }))),
    ...chartOf(today),
  });
}

/** An ordinary day, with the same share of connects as ever. */
function quietDay(): DigestFigures {
  const rows = campaignRows().map((row) => {
    const now = Number(row.attempts);
    const part = { attempts: { now, typical: now / 1.02 }, rate: ratesAt(now, now / 1.02, 0.606) };
    return { ...row, part, since: null };
  });
  return oneOffice(16_350 / 1.02, rows);
}

/** Coast office isn't loaded: the day's figures are North office's. */
function incompleteDay(): DigestFigures {
  const busy = busyGiven();
  const [north, coast] = busy.accounts as [AccountTotals, AccountTotals];
  const withoutCoast = <T extends SpanSums>(span: T): T => {
    const counts = sumsOf({
      attempts: span.attempts! - coast.attempts!,
      connects: span.connects! - coast.connects!,
    });
    return { ...span, ...counts, rates: ratesOf(counts) };
  };
  const { days, toDate } = chartOf(today, { lacking: [today.to] });
  return figures({
    ...busy,
    accounts: [north, failed],
    days: days.map((each) => (each.day === today.to ? withoutCoast(each) : each)),
    toDate: toDate.map(withoutCoast),
    campaigns: {
      ...busy.campaigns,
      rows: busy.campaigns.rows.filter(({ account }) => account === 'north'),
      up: { attempts: 22, rate: 27 },
      down: { attempts: 19, rate: 14 },
    },
  });
}

/** Eighty accounts of five hundred campaigns; one isn't loaded. */
function manyAccounts(): DigestFigures {
  const names = Array.from({ length: 80 }, (_, index) => `branch-${index + 1}`);
  const accounts = names.map((account, index) => ({
    ...totalsOf(account, 500 + ((index * 53) % 700)),
    label: `Branch ${index + 1} of the northern region`,
    campaigns: 500,
    state: index === 33 ? ('missing' as const) : ('loaded' as const),
  }));
  const { newClients, lowBalances } = eventfulWeek().attention;
  const rows = ['Win back', 'Spring renewals'].map((name, index) =>
    campaign(name, accounts[7]!.label, 400 - 150 * index, 0, {
      account: accounts[7]!.account,
      callsetId: index,
      since: '2026-11-16',
    }),
  );
  return busyWeek({
    accounts,
    campaigns: campaignsOf(rows, { count: 40_000 }),
    typical: names.map((account, index) => typical(account, 520 + ((index * 37) % 400))),
    ...chartOf(today, { lacking: [today.to] }),
    attention: { ...quiet, newClients, lowBalances },
  });
}

/** The service was down for three days. The first was mailed without Coast, which still lacks the last. */
function morningAfter(): DigestFigures {
  const [monday, tuesday, wednesday] = ['2026-11-16', '2026-11-17', '2026-11-18'] as const;
  const north = (attempts: number) =>
    periodFigures({ ...totalsOf('north', attempts), label: 'North office' });
  const coast = (attempts: number) =>
    periodFigures({ ...totalsOf('coast', attempts), label: 'Coast office' });
  return busyWeek({
    late: [lateDay(wednesday, 12_630, null), lateDay(tuesday, 11_700, 4_020)],
    earlier: [
      {
        period: periodOf('day', '2026-11-13'),
        accounts: [north(11_900), coast(3_400)],
        before: null,
      },
      { period: periodOf('day', '2026-11-15'), accounts: [north(0), coast(0)], before: null },
      {
        period: periodOf('day', monday),
        accounts: [north(13_010), coast(3_890)],
        before: [north(13_010), periodFigures(failed)],
      },
    ],
    ...chartOf(today, { lacking: ['2026-11-12', wednesday] }),
    completeThrough: tuesday,
  });
}

/** A day that comes late, next to what is typical; null if Coast isn't loaded. */
function lateDay(day: Day, north: number, coast: number | null): PeriodParts {
  return {
    period: periodOf('day', day),
    accounts: [
      { ...totalsOf('north', north), label: 'North office' },
      coast === null
        ? { ...failed, error: 'SERVICE_UNAVAILABLE' }
        : { ...totalsOf('coast', coast), label: 'Coast office' },
    ],
    typical: [typical('north', 13_600), typical('coast', 4_000)],
    campaigns: campaignsOf([
      campaign('Spring renewals 2026', 'North office', 0, 1_900, {
        account: 'north',
        noneSince: '2026-11-16',
      }),
    ]),
  };
}

/** What the service answered for the last two days is doubtful, of both accounts. */
function provisionalDay(): DigestFigures {
  const busy = busyGiven();
  const [north, coast] = busy.accounts;
  return figures({
    ...busy,
    campaigns: campaignsOf(campaignRows().map((row) => ({ ...row, part: null, since: null }))),
    accounts: [
      { ...north!, ...provisionalBy(anomalies.announced, anomalies.remark) },
      { ...coast!, ...provisionalBy(anomalies.unreadable, anomalies.missing_counts) },
    ],
    ...chartOf(today, { lacking: ['2026-11-12'], provisional: ['2026-11-18', '2026-11-19'] }),
    completeThrough: '2026-11-17',
  });
}

/** The figures of every kind of digest, by what is special about it. */
export const digests: { readonly [name: string]: DigestFigures } = {
  'a first digest': figures(),
  'a quiet day': quietDay(),
  'a day with a change': oneOffice(14_600, campaignRows()),
  'a day with every kind of news': eventfulWeek(),
  'an incomplete day': incompleteDay(),
  'a provisional day': provisionalDay(),
  'a corrected day': busyWeek({
    before: [accountTotals(), failed].map(periodFigures),
    link: 'https://bi.example.com/?day={day}&account={account}',
  }),
  'a morning after an outage': morningAfter(),
  'a week': busyPeriod(periodOf('week', '2026-11-08')),
  'a month': busyPeriod(periodOf('month', '2026-10-31')),
  'eighty accounts': manyAccounts(),
  'names without end': busyWeek({
    accounts: [accountTotals({ label: long, attempts: 987_654_321 }), { ...failed, label: long }],
    campaigns: campaignsOf(
      campaignRows().map((each) => ({ ...each, label: long, campaign: long, attempts: 98_765_432n })),
    ),
  }),
};

export const alert: ActiveAlert = {
  code: 'TOKEN_REFUSED',
  key: 'TOKEN_REFUSED/valley',
  kind: 'to do',
  severity: 'error',
  subject: 'token refused (Valley)',
  title: 'Token refused: Valley, 2 Mar',
  explanation:
    'Since 3 Mar. The service refuses the session token. 2 Mar is missing from the figures, and the digests say so. Every run fails until the token is replaced.',
  since: '2026-03-03',
  accounts: ['valley'],
  named: [],
  items: ['2026-03-02'],
  retried: false,
  steps: [
    { text: 'Write the new token to /run/secrets/sidtoken', command: null },
    { text: 'Then', command: ['run', '--from', '2026-03-02', '--account', 'east valley'] },
  ],
  dismissed: false,
};
const longAlert: ActiveAlert = {
  ...alert,
  title: `${alert.title} ${long}`,
  since: null,
  steps: [{ text: 'Then', command: ['run', '--account', long] }],
};

/** Subject, text and HTML of a mail. */
export type Mail = Pick<DigestMessage, 'subject' | 'text' | 'html'>;

export const outage: ActiveAlert = {
  ...alert,
  subject: 'service unavailable (80 accounts)',
  title: 'Service unavailable (status 503): 80 accounts, 2 Mar, client lists',
  named: [{ noun: 'account', names: Array.from({ length: 80 }, (_, index) => `Office ${index + 1}`) }],
  steps: [{ text: 'To do it now', command: ['run'] }],
};
const place = { installation: 'production', pageUrl: 'https://callsheet.example.com/' };

/** Every kind of alert mail. */
export const alerts: { readonly [name: string]: Mail } = {
  'an alert mail': composeAlert(
    { begun: [outage, alert], earlier: [], resolved: ['Walk incomplete: Coast'] },
    place,
  ),
  'an alert mail of names without end': composeAlert(
    { begun: [longAlert], earlier: [longAlert], resolved: [`resolved ${long}`] },
    { ...place, pageUrl: null },
  ),
  'an all clear': composeAlert({ begun: [], earlier: [], resolved: ['Token refused: Valley, 2 Mar'] }, place),
};

/** Every kind of mail, its chart inside, as a browser shows it. */
export const mails: { readonly [name: string]: (locale?: string) => Promise<Mail> } = {
  ...Object.fromEntries(
    Object.entries(digests).map(([name, given]) => [name, (locale) => composeMail(given, locale)]),
  ),
  ...Object.fromEntries(Object.entries(alerts).map(([name, mail]) => [name, async () => mail])),
};

async function composeMail(given: DigestFigures, locale = 'en-GB'): Promise<Mail> {
  const message = await composeDigest({ ...given, locale }, attached);
  return { ...message, html: withChart(message) };
}
