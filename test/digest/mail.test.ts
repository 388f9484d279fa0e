import { describe, expect, test } from 'vitest';
import { composeDigest, fileName } from '../../src/digest/compose.ts';
import { addDays } from '../../src/model/day.ts';
import type { Attention, EarlierPeriod } from '../../src/model/digest.ts';
import { periodOf } from '../../src/model/period.ts';
import { busyPeriod, busyWeek } from './busy-week.ts';
import {
  accountDay,
  accountTotals,
  anomalies,
  attached,
  coverage,
  doubted,
  figures,
  type Given,
  mailOf,
  mover,
  moversOf,
  periodFigures,
  quiet,
  totalsOf,
} from './figures.ts';

/* What a mail says of one thing or another; whole mails are in test/digest/texts. */

type Case = [what: string, part: Given, says: string[], not?: RegExp];

function expectMail(part: Given, says: readonly string[], not: RegExp = /undefined|NaN|null/): void {
  const mail = mailOf(part);
  for (const text of says) expect(mail).toContain(text);
  expect(mail).not.toMatch(not);
}
const noFigures = { campaigns: 0, attempts: null, busies: null, connects: null, liveAnswers: null };
const zeros = { attempts: 0, busies: 0, connects: 0, liveAnswers: 0 };
const coast = { account: 'coast', label: 'Coast office' };
const failed = accountTotals({ ...coast, ...noFigures, state: 'missing' });
const idle = accountTotals({ ...zeros, campaigns: 3 });
const provisional = accountTotals(doubted(anomalies.announced));
const [week, month] = [periodOf('week', '2026-11-19'), periodOf('month', '2026-11-19')];
const weeks = ['2026-11-12', '2026-11-05'];
const history = weeks.map((day) => accountDay('north', day, 15_220));
const eight = Array.from({ length: 8 }, (_, index) => ({ account: `a${index}`, label: `A${index}` }));
const follows = '- A corrected mail follows once the rest is loaded.';
const followsRest = '- Once the service sends the rest, tomorrow at the earliest, a corrected mail follows.';
const announced = '5 of 9 campaigns missing';
describe('a digest', () => {
  test.each<Case>([
    [
      'of which all is loaded, reported and new has no notes',
      {},
      [
        'Campaigns, Thu 19 Nov: 61.0% connected, 12,480 attempts\n',
        '\nConnect rate: 61.0% (7,613 of 12,480 attempts)\nAttempts: 12,480 (41 campaigns)\nLive answers: 4,992 (40.0% of attempts)\n\nNot compared yet: a typical Thursday takes two earlier ones.\n',
        '\nComplete through Thursday 19 November 2026. Updated 20 Nov, 06:30 UTC.\n\nEvery campaign of the day is in the attached CSV.\n',
        'Typical: the last four such weekdays with calls, without the busiest and the quietest.\n\nThis is the digest “Campaigns”. To unsubscribe, reply to this mail.\n',
      ],
      /Corrected|Incomplete|rovisional|not reported[^.]|NEEDS|dashboard/,
    ],
    [
      'of which most campaigns made no calls counts those apart',
      { accounts: [accountTotals({ campaigns: 2_003, idle: 2_000 })] },
      ['\nAttempts: 12,480 (3 campaigns; 2,000 without calls)\n'],
    ],
    [
      'with a typical day to compare with has the change, in its subject, too',
      { name: 'Managers', history },
      ['Managers, Thu 19 Nov: 61.0% connected, 12,480 attempts (−18%)\n', '−18% vs a typical Thursday'],
      /ompared with/,
    ],
    [
      'of a week explains no typical weekday, and names it so in Spanish, too',
      { period: week, locale: 'es' },
      [
        'Campaigns, semana del 16 nov: 61,0\u00a0% de conexión, 12.480 intentos',
        '\nSemana del 16 al 22 de noviembre de 2026\n',
      ],
      /Lo normal/,
    ],
    [
      'of a month is named by it',
      { period: month },
      ['Campaigns, November 2026: ', '\nNovember 2026\n'],
      /Typical/,
    ],
    [
      'with a long name has the beginning of that in its subject',
      { name: 'Managers of the northern region and of its partners abroad' },
      ['Managers of the northern region and of …, Thu 19 Nov: 61.0% connected\n'],
    ],
    [
      'with a dashboard has its address with the day, its bounds and its accounts',
      {
        link: 'https://x.example/{account}?{day}&{from}&{to}#$&',
        accounts: [accountTotals({ account: 'Año 2' }), accountTotals(coast)],
      },
      ['Open the dashboard: https://x.example/A%C3%B1o%202%2Ccoast?2026-11-19&2026-11-19&2026-11-19#$&\n'],
    ],
  ])('%s', (_, part, says, not) => expectMail(part, says, not));

  test('whose CSV does not have all campaigns says how to get them', () => {
    expect(mailOf({}, { ...attached, isWhole: false })).toContain(
      '\nNot every campaign of the day fits into one mail: the attached CSV contains only the first ones. To get all of them, reply to this mail.\n',
    );
  });
});

describe('a corrected digest', () => {
  const title = '\nCorrected: this replaces the digest sent for that day.\n';
  test.each<Case>([
    [
      'says which accounts changed, and how',
      {
        accounts: [accountTotals(), accountTotals(coast)],
        before: [accountTotals({ attempts: 9_000, connects: null }), accountTotals(coast)].map(periodFigures),
      },
      [
        'Corrected: Campaigns, Thu 19 Nov: ',
        `${title}- North office: attempts 9,000 → 12,480, connects not reported → 7,613\n\n`,
      ],
    ],
    [
      'says so where the sums are the same',
      { before: [periodFigures(accountTotals())] },
      [`${title}- The totals are the same; some campaigns changed.\n`],
    ],
    [
      'has the sums of an account that was not loaded, and not of one that joined since',
      { accounts: [accountTotals(coast), accountTotals()], before: [periodFigures(failed)] },
      ['- Coast office: not loaded → 12,480 attempts, 1,248 busies, 7,613 connects, 4,992 live answers\n\n'],
      /North office: not loaded/,
    ],
    [
      'says what is still missing, and that another one follows',
      {
        accounts: [accountTotals(), failed],
        before: [accountTotals({ attempts: 1 }), failed].map(periodFigures),
      },
      [
        `${title}- North office: attempts 1 → 12,480\n\nIncomplete, so too low: Coast office: not loaded.\n${follows}\n\n`,
      ],
    ],
  ])('%s', (_, part, says, not) => expectMail(part, says, not));
});

describe('a correction of an earlier period', () => {
  type Part = Parameters<typeof accountTotals>[0];
  const on = (day: string, before: Part, now: Part = {}): EarlierPeriod => ({
    period: periodOf('day', day),
    accounts: [periodFigures(accountTotals(now))],
    before: [periodFigures(accountTotals(before))],
  });
  const { attempts: _, ...unknown } = accountTotals({ state: 'missing', attempts: null, connects: null });
  test.each<[what: string, earlier: EarlierPeriod[], says: string[], not?: RegExp]>([
    [
      'is named at the top if it moves the attempts by a hundredth',
      [on('2026-11-12', { attempts: 12_000 }, { attempts: 12_120 })],
      ['\nCorrected: Thu 12 Nov had 12,120 attempts, not 12,000.\n'],
    ],
    [
      'is in the table alone if it moves less',
      [on('2026-11-12', { attempts: 12_000 }, { attempts: 12_119 })],
      [],
      /^Corrected/m,
    ],
    [
      'is named for its connects if its attempts stand',
      [on('2026-11-12', { connects: 7_000 })],
      ['\nCorrected: Thu 12 Nov had 7,613 connects, not 7,000.\n'],
    ],
    [
      'says so if nothing was loaded before',
      [{ ...on('2026-11-12', {}), before: [periodFigures({ ...unknown, attempts: null })] }],
      ['\nCorrected: Thu 12 Nov had 12,480 attempts; it wasn’t loaded before.\n'],
    ],
    [
      'is not named while it isn’t confirmed',
      [on('2026-11-12', { attempts: 1 }, { state: 'incomplete' })],
      [],
      /^Corrected/m,
    ],
    [
      'is one of the newest three, and the others are counted',
      ['2026-11-09', '2026-11-10', '2026-11-11', '2026-11-12'].map((day) => on(day, { attempts: 1 })),
      [
        '\nCorrected: Thu 12 Nov had 12,480 attempts, not 1.\n\nCorrected: Wed 11 Nov',
        '\nCorrected: 1 more, in the table below.\n',
      ],
      /Corrected: Mon/,
    ],
  ])('%s', (_, earlier, says, not) => expectMail({ earlier }, says, not));
});

describe('a digest that lacks something', () => {
  const lacking = (lackingDays: string[]) => ({
    period: week,
    accounts: [accountTotals({ state: 'incomplete', lackingDays })],
  });
  test.each<Case>([
    [
      'says what, and what follows',
      { accounts: [accountTotals(), accountTotals({ ...coast, state: 'incomplete' })] },
      [
        'Incomplete: Campaigns',
        `\nIncomplete, so too low: Coast office: the day was not over.\n${follows}\n`,
        '(incomplete)',
      ],
    ],
    [
      'of a week names up to three days',
      lacking(['2026-11-16', '2026-11-17', '2026-11-18']),
      ['too low: North office: Mon 16 Nov, Tue 17 Nov and Wed 18 Nov not loaded or not over.\n'],
    ],
    [
      'of a week counts more days',
      lacking(['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19']),
      ['too low: North office: 4 days not loaded or not over.\n'],
    ],
    [
      'has dashes for an account that is not loaded',
      { accounts: [accountTotals(), failed] },
      ['     –          –      –      –  Coast office (not loaded)\n'],
    ],
    [
      'of which nothing is loaded says that alone',
      { accounts: [failed], asOf: null, completeThrough: null },
      [
        'Incomplete: Campaigns, Thu 19 Nov: nothing loaded\n',
        '\nNothing is loaded for that day yet.\n',
        '\nNot complete yet.\n\nThis is the digest',
      ],
      /Connect rate/,
    ],
    [
      'because its figures are not confirmed says so first, compares nothing, and is not complete through the day',
      { name: 'M', accounts: [provisional], history, asOf: null },
      [
        'Provisional: M, Thu 19 Nov: 61.0% connected, 12,480 attempts\n',
        `\nProvisional, probably too low: North office: ${announced}.\n${followsRest}\n\n`,
        '\nConnect rate (provisional): 61.0% (7,613 of 12,480 attempts)\nAttempts (provisional): 12,480 (41 campaigns)\nLive answers (provisional): 4,992 (40.0% of attempts)\n\n',
        '\nComplete through Wednesday 18 November 2026.\n\nThe attached CSV has the campaigns that are loaded so far.\n',
      ],
      /ompared| vs |[+−]\d+%/,
    ],
    [
      'for both reasons promises a corrected one once',
      { accounts: [provisional, failed] },
      [
        'Incomplete: Campaigns, ',
        `too low: Coast office: not loaded.\n${follows}\n\nProvisional, probably too low: North office: ${announced}.\n\n`,
        'Attempts (incomplete): 12,480',
      ],
      /follows[\s\S]*follows/,
    ],
    [
      'because some accounts’ figures are not confirmed names five of them, and compares those of another one',
      {
        accounts: [
          ...eight.map((each) => accountTotals({ ...each, ...doubted(anomalies.announced) })),
          totalsOf('north', 50),
        ],
        history: weeks.flatMap((day) => [
          accountDay('north', day, 61),
          ...eight.map(({ account }) => accountDay(account, day, 80)),
        ]),
      },
      [
        'Provisional: Campaigns, Thu 19 Nov: 61.0% connected, 99,890 attempts\n',
        `too low: A0, A1, A2, A3, A4 and 3 more: ${announced}.\n${followsRest}\n`,
        '\nWithout 8 accounts, a normal Thursday: 50 attempts, 50.0% connected.\n',
        '\nWithout A0, A1, A2, A3, A4 and 3 more (provisional): 50 attempts (−18% vs a typical Thursday), 50.0% connected (−0.8 points).\n',
        'A0 (provisional)\n',
        '50 (−18%)  50.0% (−0.8 points)  26.0%  10.0%  north\n',
      ],
    ],
  ])('%s', (_, part, says, not) => expectMail(part, says, not));
});

describe('what the service did not report', () => {
  const unreported = (attempts: number, connects = 3) => ({ attempts, busies: 0, connects, liveAnswers: 0 });
  const title = '\n\nNot reported by the service, so not in any total or rate: ';
  test.each<Case>([
    [
      'is counted for each account that has some',
      {
        accounts: [
          accountTotals({ unreported: unreported(0) }),
          accountTotals({ ...coast, unreported: unreported(1) }),
          accountTotals({ label: 'All' }),
        ],
      },
      [
        `${title}North office: connects of 3 of 41 campaigns; Coast office: attempts of 1 of 41 campaigns and connects of 3 of 41 campaigns.\n\n`,
      ],
    ],
    [
      'is nothing of an account that is not loaded',
      { accounts: [accountTotals(), { ...failed, unreported: unreported(1) }] },
      [],
      /Not reported by/,
    ],
    [
      'is said in the subject of connects',
      { accounts: [accountTotals({ connects: null })] },
      [
        'Campaigns, Thu 19 Nov: 12,480 attempts, connects not reported\n',
        '\nConnect rate: – (not reported)\n',
      ],
    ],
    [
      'is said in the subject of attempts',
      { accounts: [accountTotals({ ...noFigures, campaigns: 41 }), failed] },
      ['Incomplete: Campaigns, Thu 19 Nov: attempts not reported\n'],
      /No calls/,
    ],
    [
      'is not taken for no calls',
      { accounts: [{ ...idle, unreported: unreported(1) }] },
      ['attempts not reported\n'],
      /No calls/,
    ],
    [
      'is not taken for no calls where an account is missing',
      { accounts: [idle, failed] },
      ['Incomplete: Campaigns, Thu 19 Nov: no calls so far\n', '\nNo calls in the figures loaded so far.\n'],
      /no campaign|Connect rate/,
    ],
  ])('%s', (_, part, says, not) => expectMail(part, says, not));
});

test.each<Case>([
  [
    'without campaigns',
    { accounts: [accountTotals({ ...zeros, campaigns: 0 })] },
    ['No calls: the service lists no campaigns for that day.\n'],
  ],
  [
    'without attempts',
    { accounts: [idle] },
    ['Campaigns, Thu 19 Nov: no calls\n', 'No calls: no campaign made an attempt.\n'],
  ],
])('a day %s says that there were no calls, and shows no figures', (_, part, says) => {
  expectMail(part, says, /Connect rate|CSV/);
});

describe('needs attention:', () => {
  const attention = (part: Partial<Attention>) => ({ attention: { ...quiet, ...part } });
  const held = { label: 'N', day: '2026-11-16', since: '2026-11-19 06:30:11+00', isNew: true };
  const lowBalances = (newCount: number) => ({
    count: 93,
    newCount,
    lowest: newCount === 0 ? [] : [{ label: 'North office', name: 'Grove Dental', balance: '-3.50' }],
  });
  test.each<Case>([
    [
      'accounts that no mail had yet, and those that are in none any more',
      attention({ newAccounts: ['Zaragoza'], goneAccounts: ['Coast', 'Valley'] }),
      [
        '\nNeeds attention: New account · Account gone\n',
        '\nNew account\n- Zaragoza\n\nAccount gone\n- Coast and Valley: no longer in this digest\n',
      ],
    ],
    [
      'no accounts in the correction of an earlier period',
      {
        ...attention({ newAccounts: ['Zaragoza'], goneAccounts: ['Coast'] }),
        before: [periodFigures(accountTotals({ attempts: 1 }))],
      },
      [],
      /NEEDS|Zaragoza/,
    ],
    [
      'five lines, the most serious first, and a number of others with their kinds',
      {
        ...attention({
          newClients: [{ label: 'N', count: 1_002, names: ['Ana', 'B\tLtd'] }],
          vanishedClients: [{ label: 'N', count: 1, names: ['Ben'] }],
          held: ['A', 'B', 'C', 'D', 'E'].map((label) => ({ ...held, label })),
        }),
      },
      [
        '\nNeeds attention: Held back · 2 more\n',
        '\nHeld back\n- A, Mon 16 Nov: on 19 Nov, 06:30 UTC',
        '\n2 more\n- Clients no longer listed · New clients\n',
      ],
    ],
    [
      'three kinds, by their names',
      attention({
        newClients: [{ label: 'N', count: 1, names: ['Ana'] }],
        vanishedClients: [{ label: 'N', count: 1, names: ['Ben'] }],
        held: [held],
      }),
      [
        '\nNeeds attention: Held back · Clients no longer listed · New clients\n',
        '\nNew clients\n- N: Ana\n',
      ],
    ],
    [
      'clients, some of them by name',
      attention({ newClients: [{ label: 'N', count: 1_002, names: ['Ana', 'B\tLtd'] }] }),
      ['\nNeeds attention: New clients, N: Ana, B Ltd and 1,000 more\n'],
    ],
    [
      'what was held before, as a number',
      attention({ held: [{ ...held, isNew: false }] }),
      ['\nStill held back: 1 day.\n\nComplete through'],
      /Needs attention/i,
    ],
    [
      'balances that stand, as a number',
      { ...attention({ lowBalances: lowBalances(0) }), lowBalance: 25 },
      ['\n93 balances below 25.00.\n'],
    ],
    [
      'balances that are new below the limit, by name',
      { ...attention({ lowBalances: lowBalances(2) }), lowBalance: 25 },
      ['\n93 balances below 25.00, 2 of them new: Grove Dental (−3.50) and 1 more.\n'],
    ],
    [
      'balances that are new below the limit, by name, with the account if there are several',
      {
        ...attention({ lowBalances: lowBalances(7) }),
        lowBalance: 25,
        accounts: [accountTotals(), accountTotals(coast)],
      },
      ['\n93 balances below 25.00, 7 of them new: Grove Dental (−3.50, North office) and 6 more.\n'],
    ],
  ])('%s', (_, part, says, not) => expectMail(part, says, not));
});

describe('a table', () => {
  const sunday = (day: string, part: Omit<EarlierPeriod, 'period'>) => ({
    ...part,
    period: periodOf('week', day),
  });
  const many = Array.from({ length: 11 }, (_, index) => totalsOf(`a${index}`, 1_000 + 100 * index));
  const campaigns = (count: number, ...others: ReturnType<typeof accountTotals>[]) => {
    const { topCampaigns, extremeRates } = busyPeriod(periodOf('week', '2026-11-08'));
    return { topCampaigns, extremeRates, accounts: [accountTotals({ campaigns: count }), ...others] };
  };
  const toDate = ['2026-11-16', '2026-11-17', '2026-11-19'].map((day) => accountDay('north', day, 100));
  test.each<Case>([
    [
      'of earlier periods has their figures, from → to where they were mailed before, and what they are',
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
      [
        `EARLIER PERIODS AND CORRECTIONS
      Attempts  Connected  Period
1,000 → 12,480      61.0%  Week of 26 Oct (corrected)
        24,960      61.0%  Week of 2 Nov (incomplete, provisional)
             –          –  Week of 9 Nov (not loaded)
    – → 12,480  – → 61.0%  Week of 16 Nov (corrected)
`,
      ],
    ],
    [
      'of earlier periods names the accounts that changed, if not all, and what the columns don’t show',
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
      [
        '12,580      60.9%  Week of 9 Nov (corrected: North office, busies 11 → 1,258)\n',
        'Week of 16 Nov (corrected: the same totals)\n',
      ],
      /^Corrected: Week/m,
    ],
    [
      'of more than ten earlier periods has the newest ten, and the sum of the others',
      {
        earlier: Array.from({ length: 12 }, (_, index) =>
          sunday(addDays('2026-01-04', 7 * index), {
            accounts: [periodFigures(accountTotals())],
            before: index === 0 ? [periodFigures(accountTotals({ attempts: 480 }))] : null,
          }),
        ),
      },
      ['12,960 → 24,960', '  2 more\n', 'Week of 12 Jan\n', 'Week of 16 Mar\n'],
      /Week of 5 Jan\n/,
    ],
    [
      'of what moved has each difference, why, and the rest: they add up to the change',
      {
        accounts: [accountTotals(), accountTotals(coast)],
        history: weeks.flatMap((day) => [
          accountDay('north', day, 12_000, 7_000),
          accountDay('coast', day, 10_000, 6_000),
        ]),
        movers: moversOf(
          [
            mover('Win back', 'North office', 2_424, 0, { since: '2026-10-05' }),
            mover('Renewals', 'Coast office', 0, 300, { noneSince: '2026-11-18' }),
          ],
          { count: 40, moved: { attempts: 3_000, rate: 0 } },
        ),
      },
      [
        '\nWHAT MOVED\nVs a typical Thursday\nTypical        Attempts  Campaign\n      0  2,424 (+2,424)  Win back (North office, since 5 Oct)\n    300        0 (−300)  Renewals (Coast office, none since 18 Nov)\n 21,700   22,536 (+836)  38 others\n',
      ],
    ],
    [
      'of many accounts has the five that moved most, and the sum of the others',
      {
        accounts: many,
        history: many.flatMap(({ account }) => weeks.map((day) => accountDay(account, day, 1_000))),
      },
      [
        'ACCOUNTS THAT MOVED MOST\n',
        'Busy  Account\n2,000 (+100%)      50.0%  25.0%  10.0%  a10\n',
        '        7,500      50.0%  25.0%  10.0%  6 more\n',
      ],
    ],
    [
      'of more than ten campaigns has the top ten',
      { ...campaigns(11), extremeRates: [] },
      ['TOP TEN CAMPAIGNS\n'],
      /HIGHEST/,
    ],
    [
      'of more than ten campaigns of a week has the rates, too',
      { ...campaigns(11), period: week },
      ['TOP TEN CAMPAIGNS\n', 'HIGHEST AND LOWEST CONNECT RATES\n'],
    ],
    [
      'of ten campaigns has all of a single account',
      campaigns(10),
      ['\nCAMPAIGNS\nAttempts  Connected   Live   Busy  Campaign\n'],
      /TOP|HIGHEST/,
    ],
    [
      'of campaigns is none of few of several accounts',
      campaigns(5, accountTotals({ ...coast, campaigns: 5 })),
      [],
      /CAMPAIGNS|HIGHEST/,
    ],
    [
      'to date says over how many days it is, and how many of these are incomplete',
      {
        history: [...toDate, accountDay('north', '2026-11-18', 0)],
        coverage: [coverage({ lacking: ['2026-11-18'] })],
      },
      [
        '     300      50.0%  Week to date (16–19 Nov, 1 day incomplete)\n     300      50.0%  Month to date (1–19 Nov, over 4 of 19 days, 1 day incomplete)\n',
      ],
    ],
    [
      'to date has no attempts if a day reports none',
      { history: [...toDate, { ...accountDay('north', '2026-11-18', 0), attempts: null }] },
      ['–  Week to date (16–19 Nov)\n'],
    ],
    [
      'to date says how many of its days are provisional, and counts none twice',
      {
        history: toDate,
        coverage: [
          coverage({ provisional: ['2026-11-01', '2026-11-10', '2026-11-17'] }),
          coverage({ lacking: ['2026-11-01'], provisional: ['2026-11-17'] }),
        ],
      },
      [
        ' Week to date (16–19 Nov, over 3 of 4 days, 1 day provisional)\n',
        ' Month to date (1–19 Nov, over 3 of 19 days, 3 days provisional)\n',
      ],
    ],
    [
      'of the last days says which are incomplete, and which of the others are provisional',
      {
        history: toDate,
        coverage: [
          coverage({ provisional: ['2026-11-16', '2026-11-17', '2026-11-18'] }),
          coverage({ lacking: ['2026-11-16'] }),
        ],
      },
      [
        ' Mon 16 Nov (incomplete)\n',
        ' Tue 17 Nov (provisional)\n',
        ' Wed 18 Nov (not loaded)\n',
        ' Thu 19 Nov\n',
      ],
    ],
    [
      'to date has no week on a Monday',
      { ...busyWeek({ day: '2026-11-16' }) },
      ['Month to date'],
      /Week to date/,
    ],
  ])('%s', (_, part, says, not) => expectMail(part, says, not));
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
