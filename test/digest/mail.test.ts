import { expect, test } from 'vitest';
import { composeDigest, fileName } from '../../src/digest/compose.ts';
import type { Anomaly } from '../../src/model/anomaly.ts';
import { addDays } from '../../src/model/day.ts';
import type { Attention, EarlierPeriod, SpanSums } from '../../src/model/digest.ts';
import { periodOf } from '../../src/model/period.ts';
import { busyWeek } from './busy-week.ts';
import {
  accountTotals,
  anomalies,
  attached,
  campaign,
  campaignsOf,
  chartDay,
  figures,
  type Given,
  mailOf,
  noFigures,
  periodFigures,
  provisionalBy,
  quiet,
  span,
  totalsOf,
  typical,
} from './figures.ts';
import { digests } from './mails.ts';

/* What a mail says of one thing or another, beyond a plain day's. Whole mails, and these lines, are in test/digest/texts. */

type Cases = { readonly [sentence: string]: Given };

const beginningOf = (line: string) => line.split(/[ :,]/, 1)[0]!;

/** The lines that a mail has and a plain day's in its language hasn't; after − those of the plain one of which it has nothing alike. */
function beyondPlain(part: Given): string {
  const plainPart = part.locale === undefined ? {} : { locale: part.locale };
  const [mail, plain] = [part, plainPart].map((each) => mailOf(each).split('\n')) as [string[], string[]];
  const beginnings = mail.map(beginningOf);
  return [
    ...mail.filter((line) => !plain.includes(line)),
    ...plain.filter((line) => !beginnings.includes(beginningOf(line))).map((line) => `− ${line}`),
  ].join('\n');
}

const zeros = { attempts: 0, busies: 0, connects: 0, liveAnswers: 0 };
const coast = { account: 'coast', label: 'Coast office' };
const failed = accountTotals({ ...coast, ...noFigures, state: 'missing' });
const idle = accountTotals({ ...zeros, campaigns: 3 });
const provisional = accountTotals(provisionalBy(anomalies.announced));
const week = periodOf('week', '2026-11-19');
const eight = Array.from({ length: 8 }, (_, index) => ({ account: `a${index}`, label: `A${index}` }));

type Part = Parameters<typeof accountTotals>[0];
const on = (day: string, before: Part, now: Part = {}): EarlierPeriod => ({
  period: periodOf('day', day),
  accounts: [periodFigures(accountTotals(now))],
  before: [periodFigures(accountTotals(before))],
});

const unreported = (attempts: number, connects = 3) => ({ attempts, busies: 0, connects, liveAnswers: 0 });

const attention = (part: Partial<Attention>) => ({ attention: { ...quiet, ...part } });
const held = { label: 'N', day: '2026-11-16', since: '2026-11-19 06:30:11+00', isNew: true };

const sunday = (day: string, part: Omit<EarlierPeriod, 'period'>) => ({
  ...part,
  period: periodOf('week', day),
});
const november = (...days: readonly number[]) => days.map((day) => `2026-11-${String(day).padStart(2, '0')}`);
const provisionalOn = (...days: readonly number[]) =>
  november(...days).map((day) => ({ day, anomalies: [] }));
const toDate = (attempts: number | null, week: Partial<SpanSums>, month: Partial<SpanSums>) => ({
  toDate: [
    { every: 'week' as const, from: '2026-11-16', ...span(attempts, week) },
    { every: 'month' as const, from: '2026-11-01', ...span(attempts, month) },
  ],
});

/** A confirmed account, which made 10% more than usual, and two provisional ones; all usually make 38,000. */
const doubtful = ['Island', 'Valley'].map((name) => ({
  ...totalsOf(name, 0),
  ...provisionalBy(anomalies.no_calls),
}));
const minor = {
  accounts: [totalsOf('Branch', 40_546), ...doubtful],
  typical: [typical('Branch', 36_860), typical('Island', 570), typical('Valley', 570)],
};
const because = (account: string, ...given: readonly Anomaly[]) => ({
  ...totalsOf(account, 100),
  ...provisionalBy(...given),
});
const onDays = (account: string, ...days: readonly number[]) => ({
  ...totalsOf(account, 100),
  provisionalDays: november(...days).map((day) => ({ day, anomalies: [anomalies.unreadable] })),
});
const eachReason = Object.entries(anomalies).map(([code, anomaly]) => because(code, anomaly));

const says: { readonly [topic: string]: Cases } = {
  'plain-days': {
    'a digest of which most campaigns made no calls counts the others': {
      accounts: [accountTotals({ campaigns: 2_003, idle: 2_000 })],
    },
    'a digest of a week explains no typical weekday, and names it so in Spanish, too': {
      period: week,
      locale: 'es',
    },
    'a digest with a long name has the beginning of that in its subject': {
      name: 'Managers of the northern region and of its partners abroad',
    },
    'a digest with a dashboard has its address with the day, its bounds and its accounts': {
      link: 'https://x.example/{account}?{day}&{from}&{to}#$&',
      accounts: [accountTotals({ account: 'Año 2' }), accountTotals(coast)],
    },
  },
  corrections: {
    'a corrected digest says which accounts changed, and how': {
      accounts: [accountTotals(), accountTotals(coast)],
      before: [accountTotals({ attempts: 9_000, connects: null }), accountTotals(coast)].map(periodFigures),
    },
    'a corrected digest says so where the sums are the same': { before: [periodFigures(accountTotals())] },
    'a corrected digest has the sums of an account that was not loaded, and not of one that joined since': {
      accounts: [accountTotals(coast), accountTotals()],
      before: [periodFigures(failed)],
    },
    'a corrected digest says what is still missing, and that another one follows': {
      accounts: [accountTotals(), failed],
      before: [accountTotals({ attempts: 1 }), failed].map(periodFigures),
    },
  },
  'earlier-corrections': {
    'a correction of an earlier period is named at the top if it moves the attempts by a hundredth': {
      earlier: [on('2026-11-12', { attempts: 12_000 }, { attempts: 12_120 })],
    },
    'a correction of an earlier period is in the table alone if it moves less': {
      earlier: [on('2026-11-12', { attempts: 12_000 }, { attempts: 12_119 })],
    },
    'a correction of an earlier period is named for its connects if its attempts stand': {
      earlier: [on('2026-11-12', { connects: 7_000 })],
    },
    'a correction of an earlier period is said so in Spanish, too': {
      locale: 'es',
      earlier: [
        on('2026-11-12', { attempts: 9_000 }),
        { ...on('2026-11-12', { attempts: 9_000 }), period: periodOf('week', '2026-11-12') },
        { ...on('2026-11-12', { attempts: 9_000 }), period: periodOf('month', '2026-10-12') },
      ],
    },
    'earlier days without calls are a line': {
      earlier: ['2026-11-14', '2026-11-15'].map((day) => ({
        period: periodOf('day', day),
        accounts: [periodFigures(idle)],
        before: null,
      })),
    },
    'a correction of an earlier period is not named while it isn’t confirmed': {
      earlier: [on('2026-11-12', { attempts: 1 }, { state: 'incomplete' })],
    },
    'a correction of an earlier period is one of the newest three, and the others are counted': {
      earlier: [
        on('2026-11-09', { attempts: 9_000, connects: 4_500 }),
        ...(['day', 'week', 'month'] as const).map((every) => ({
          ...on('2026-11-12', { attempts: 9_000, connects: 4_500 }),
          period: periodOf(every, '2026-10-12'),
        })),
      ],
    },
  },
  'what-is-missing': {
    'a digest that lacks something says what, and what follows': {
      accounts: [accountTotals(), accountTotals({ ...coast, state: 'incomplete' })],
    },
    'a digest that lacks something of a week names the days': {
      period: week,
      accounts: [accountTotals({ state: 'incomplete', lackingDays: november(16, 18) })],
    },
    'a digest that lacks something of which nothing is loaded says that once, and why': {
      accounts: [{ ...failed, error: 'SERVICE_UNAVAILABLE' }],
      asOf: null,
      completeThrough: null,
    },
    'a digest that lacks something of an account that refuses access says so': {
      accounts: [accountTotals(), { ...failed, error: 'TOKEN_REFUSED' }],
    },
    'a digest that lacks something because its figures are not confirmed says so first, compares nothing, and is not complete through the day':
      { name: 'M', accounts: [provisional], typical: [typical('north', 15_220)], asOf: null },
    'a digest that lacks something for both reasons promises a corrected one once': {
      accounts: [provisional, failed],
    },
  },
  'what-is-provisional': {
    'provisional accounts that usually make less than 5% mark nothing, and the change is that of the others':
      minor,
    'a new account that is missing marks nothing, and is named': {
      ...minor,
      name: 'M',
      accounts: [...minor.accounts, failed],
    },
    'each reason is said in English': { accounts: eachReason.slice(0, 5) },
    'each further reason is said in English': { accounts: eachReason.slice(5) },
    'each reason is said in Spanish': { locale: 'es', accounts: eachReason.slice(0, 5) },
    'each further reason is said in Spanish': { locale: 'es', accounts: eachReason.slice(5) },
    'accounts with the same reasons share a line, and what is known of the service is none': {
      accounts: [
        because('North', anomalies.announced, { ...anomalies.unreadable, confirmedBy: 'always' }),
        because('Coast', anomalies.remark),
        because('Valley', anomalies.announced),
        because('Island', anomalies.announced, anomalies.remark),
      ],
    },
    'days of a week with the same reasons are named once, up to three': {
      period: week,
      accounts: [onDays('North', 16, 18), onDays('Coast', 16, 18), onDays('Island', 16, 17, 18, 19)],
    },
    'of many accounts with reasons of their own five are named': {
      accounts: eight.map(({ label }, index) =>
        because(label, { ...anomalies.announced, announced: 10 + index }),
      ),
    },
    'a remark of the service stays on its line': {
      accounts: [because('North', { ...anomalies.remark, sign: 'Trial\r\nends\u202e soon' })],
    },
    'a day without calls that usually has some is marked, and has no figures': {
      accounts: [{ ...totalsOf('North', 0), ...provisionalBy(anomalies.no_calls) }],
    },
    'a corrected digest stays marked': { accounts: [provisional], before: [periodFigures(failed)] },
  },
  'what-is-not-reported': {
    'what the service did not report is counted for each account that has some': {
      accounts: [
        accountTotals({ unreported: unreported(0) }),
        accountTotals({ ...coast, unreported: unreported(1) }),
        accountTotals({ label: 'All' }),
      ],
    },
    'what the service did not report is nothing of an account that is not loaded': {
      accounts: [accountTotals(), { ...failed, unreported: unreported(1) }],
    },
    'what the service did not report is said in the subject of connects': {
      accounts: [accountTotals({ connects: null })],
    },
    'what the service did not report is said in the subject of attempts': {
      accounts: [accountTotals({ ...noFigures, campaigns: 41 }), failed],
    },
    'what the service did not report is not taken for no calls': {
      accounts: [{ ...idle, unreported: unreported(1) }],
    },
    'what the service did not report is not taken for no calls where an account is missing': {
      accounts: [idle, failed],
    },
    'a day without campaigns': { accounts: [accountTotals({ ...zeros, campaigns: 0 })] },
    'a day without attempts': { accounts: [idle] },
  },
  attention: {
    'needs attention: accounts that no mail had yet, and those that are in none any more': attention({
      newAccounts: ['Zaragoza'],
      goneAccounts: ['Coast', 'Valley'],
    }),
    'needs attention: no accounts in the correction of an earlier period': {
      ...attention({ newAccounts: ['Zaragoza'], goneAccounts: ['Coast'] }),
      before: [periodFigures(accountTotals({ attempts: 1 }))],
    },
    'needs attention: five lines, the most serious first, and a number of others with their kinds': {
      ...attention({
        newClients: [{ label: 'N', count: 1_002, names: ['Ana', 'B\tLtd'] }],
        vanishedClients: [{ label: 'N', count: 1, names: ['Ben'] }],
        held: ['A', 'B', 'C', 'D', 'E'].map((label) => ({ ...held, label })),
      }),
    },
    'needs attention: what was held before, as a number': attention({ held: [{ ...held, isNew: false }] }),
    'needs attention: accounts with the same campaigns, in a line at the end': {
      ...attention({
        sameCampaigns: [
          {
            accounts: ['North office', 'Coast office'].map((label) => ({ name: label, label })),
            days: ['2026-11-19'],
          },
        ],
      }),
      accounts: [accountTotals(), accountTotals(coast)],
    },
    'needs attention: balances that stand, as a number': {
      ...attention({ lowBalances: { count: 93, newCount: 0, lowest: [] } }),
      lowBalance: 25,
    },
  },
  tables: {
    'a table of earlier periods has their figures, from → to where they were mailed before, and what they are':
      {
        earlier: [
          sunday('2026-11-01', {
            accounts: [periodFigures(accountTotals())],
            before: [periodFigures(accountTotals({ attempts: 1_000, connects: 610 }))],
          }),
          sunday('2026-11-08', {
            accounts: [provisional, accountTotals({ state: 'incomplete' })].map(periodFigures),
            before: null,
          }),
          sunday('2026-11-15', { accounts: [periodFigures(failed)], before: null }),
          sunday('2026-11-22', {
            accounts: [periodFigures(accountTotals())],
            before: [periodFigures({ ...failed, account: 'north' })],
          }),
        ],
      },
    'a table of earlier periods names the accounts that changed, if not all, and what the columns don’t show':
      {
        earlier: [
          sunday('2026-11-15', {
            accounts: [accountTotals(), totalsOf('Coast', 100)].map(periodFigures),
            before: [accountTotals({ busies: 1 }), totalsOf('Coast', 100)].map(periodFigures),
          }),
          sunday('2026-11-22', {
            accounts: [periodFigures(accountTotals())],
            before: [{ ...periodFigures(accountTotals()), content: 'other' }],
          }),
        ],
      },
    'a table of more than ten earlier periods has the newest ten, and the sum of the others': {
      earlier: Array.from({ length: 12 }, (_, index) =>
        sunday(addDays('2026-01-04', 7 * index), {
          accounts: [periodFigures(accountTotals())],
          before: index === 0 ? [periodFigures(accountTotals({ attempts: 480 }))] : null,
        }),
      ),
    },
    'a table of what moved has each difference, since when, and the rest: they add up to the change': {
      accounts: [accountTotals(), accountTotals(coast)],
      typical: [typical('north', 12_000, 7_000), typical('coast', 10_000, 6_000)],
      campaigns: campaignsOf([
        campaign('Win back', 'North office', 2_424, 0, { account: 'north', since: '2026-10-05' }),
        campaign('Renewals', 'Coast office', 0, 300, { account: 'coast', noneSince: '2026-11-18' }),
      ]),
    },
    'a table to date has no attempts if a day reports none': toDate(
      null,
      { loadedDays: november(16, 17, 18, 19) },
      {},
    ),
    'a table to date says over how many days it is, how many are incomplete or provisional, and counts none twice':
      toDate(
        300,
        { loadedDays: november(16, 17, 19), provisionalDays: provisionalOn(17) },
        {
          loadedDays: november(1, 10, 16, 17, 19),
          lackingDays: november(1, 2),
          provisionalDays: provisionalOn(1, 10, 17),
        },
      ),
    'a table of the last days says which are incomplete, and which of the others are provisional': {
      days: [
        chartDay('2026-11-16', 100, {
          lackingDays: november(16),
          provisionalDays: provisionalOn(16),
        }),
        chartDay('2026-11-17', 100, { provisionalDays: provisionalOn(17) }),
        chartDay('2026-11-18', null),
        chartDay('2026-11-19', 100),
      ],
    },
  },
};

test.each(Object.entries(says))(
  'mails say of %s what somebody read last, and nothing else',
  async (topic, cases) => {
    const sections = Object.entries(cases).map(([sentence, part]) => `# ${sentence}\n\n${beyondPlain(part)}`);
    await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot(`texts/${topic}.txt`);
  },
);

test.each([
  ['a day with every kind of news', 'en-GB'],
  ['a provisional day', 'es'],
  ['a morning after an outage', 'es'],
  ['a week', 'en-GB'],
  ['a month', 'es'],
  ['a first digest', 'en-GB'],
])('the whole text of %s, in %s, is as somebody read it last', async (name, locale) => {
  const file = `texts/${name.replaceAll(' ', '-')}.txt`;
  await expect(mailOf({ ...digests[name]!, locale })).toMatchFileSnapshot(file);
});

test('a mail whose CSV lacks campaigns says how to get them', () => {
  expect(mailOf({}, { ...attached, isWhole: false })).toContain(
    ' Not all campaigns fit into one mail: the CSV has only the first ones. To get all of them, reply to this mail.\n',
  );
});

test('the same figures make the same mail, with a chart only where the HTML shows one', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => composeDigest(busyWeek(), attached)));
  expect(one).toEqual(other);
  expect(one!.chart).not.toBeNull();
  expect(one!.html).toContain('src="cid:chart@callsheet"');
  const first = await composeDigest(figures(), attached);
  expect([first.chart, first.html.includes('cid:')]).toEqual([null, false]);
});

test.each([
  ['Campaigns', 'day', 'campaigns-2026-11-19'],
  ['Campaigns', 'week', 'campaigns-2026-11-16-week'],
  ['Año 2 / Coast', 'month', 'año-2-coast-2026-11-month'],
] as const)('the files of %j of a %s are called %s', (name, every, expected) => {
  expect(fileName({ name, period: periodOf(every, '2026-11-19') })).toBe(expected);
});

test.each(['', '../..', 'a:b*c?"<>|', 'nul\0', '\u202e\n', '🎉'])(
  'the files of a digest called %j have a name that is safe on every file system',
  (name) => {
    expect(fileName({ name, period: periodOf('day', '2026-11-19') })).toMatch(/^[\p{L}\p{N}-]*-2026-11-19$/u);
  },
);
