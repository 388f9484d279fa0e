import { describe, expect, test } from 'vitest';
import { composeDigest, fileName } from '../../src/digest/compose.ts';
import { digestHtml } from '../../src/digest/render/html.ts';
import { digestText } from '../../src/digest/render/text.ts';
import type { Attention, DigestFigures, EarlierPeriod } from '../../src/model/digest.ts';
import { periodOf } from '../../src/model/period.ts';
import type { SuspiciousDay } from '../../src/model/window.ts';
import { busyWeek } from './busy-week.ts';
import {
  accountDay,
  accountTotals,
  attached,
  contentOf,
  coverage,
  figures,
  quiet,
  sumsOf,
  totalsOf,
} from './figures.ts';

/* What a mail says of one thing or another; whole mails are in test/digest/texts. */

type Case = [what: string, part: Partial<DigestFigures>, says: string[], not?: RegExp];

function mailOf(part: Partial<DigestFigures>, csv = attached): string {
  const content = contentOf(figures(part), csv);
  return `${content.subject}\n\n${digestText(content)}`;
}
function expectMail(
  part: Partial<DigestFigures>,
  says: readonly string[],
  not: RegExp = /undefined|NaN|null/,
): void {
  const mail = mailOf(part);
  for (const text of says) expect(mail).toContain(text);
  expect(mail).not.toMatch(not);
}
const noFigures = { campaigns: 0, attempts: null, busies: null, connects: null, liveAnswers: null };
const zeros = { attempts: 0, busies: 0, connects: 0, liveAnswers: 0 };
const coast = { account: 'coast', label: 'Coast office' };
const failed = accountTotals({ ...coast, ...noFigures, state: 'failed' });
const idle = accountTotals({ ...zeros, campaigns: 3 });
const short = accountTotals({ shortDays: ['2026-11-19'] });
const [week, month] = [periodOf('week', '2026-11-19'), periodOf('month', '2026-11-19')];
const weeks = ['2026-11-12', '2026-11-05'];
const history = weeks.map((day) => accountDay('north', day, 15_220));
const eight = Array.from({ length: 8 }, (_, index) => ({ account: `a${index}`, label: `A${index}` }));
const follows = '- A corrected digest follows once the rest is there.';

describe('a digest', () => {
  test.each<Case>([
    [
      'of which all is loaded, reported and new has no notes',
      {},
      [
        'Campaigns, Thu 19 Nov: 61.0% connected, 12,480 attempts\n',
        '\nConnect rate: 61.0% (7,613 of 12,480 attempts)\nAttempts: 12,480 (41 campaigns)\nLive answers: 4,992 (40.0% of attempts)\n\nNot compared with a typical Thursday: too little is loaded.\n',
        '\nComplete through Thursday 19 November 2026. Updated 20 Nov, 06:30 UTC.\n\nEvery campaign of the day is in the attached CSV.\n',
        'Typical: the mean of that weekday in the four weeks before.\n\nThis is the digest “Campaigns”. To unsubscribe, reply to this mail.\n',
      ],
      /Corrected|Incomplete|may be low|not reported[^.]|NEEDS|dashboard/,
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
      '\nThe campaigns of the day are too many for one mail: the attached CSV contains only the first ones. For all of them, reply to this mail.\n',
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
        before: [accountTotals({ attempts: 9_000, connects: null }), accountTotals(coast)],
      },
      [
        'Corrected: Campaigns, Thu 19 Nov: ',
        `${title}- North office: attempts 9,000 → 12,480, connects not reported → 7,613\n\n`,
      ],
    ],
    [
      'says so where the sums are the same',
      { before: [accountTotals()] },
      [`${title}- The sums are the same; campaigns among them changed.\n`],
    ],
    [
      'has the sums of an account that was not loaded, or not one of it',
      { accounts: [accountTotals(coast), accountTotals()], before: [failed] },
      [
        '- Coast office: not loaded → 12,480 attempts, 1,248 busies, 7,613 connects, 4,992 live answers\n- North office: not loaded → 12,480',
      ],
    ],
    [
      'promises no other one, and says what is still missing',
      { accounts: [accountTotals(), failed], before: [accountTotals({ attempts: 1 }), failed] },
      [
        `${title}- North office: attempts 1 → 12,480\n\nIncomplete: part of the day is missing.\n- Coast office: not loaded\n\n`,
      ],
      /follows/,
    ],
  ])('%s', (_, part, says, not) => expectMail(part, says, not));
});

describe('a digest that lacks something', () => {
  const lacking = (lackingDays: string[]) => ({
    period: week,
    accounts: [accountTotals({ state: 'provisional', lackingDays })],
  });
  test.each<Case>([
    [
      'says what, and what follows',
      { accounts: [accountTotals(), accountTotals({ ...coast, state: 'provisional' })] },
      [
        'Incomplete: Campaigns',
        `\nIncomplete: part of the day is missing.\n- Coast office: the day was not over\n${follows}\n`,
        '(incomplete)',
      ],
    ],
    [
      'of a week names up to three days',
      lacking(['2026-11-16', '2026-11-17', '2026-11-18']),
      ['- North office: Mon 16 Nov, Tue 17 Nov and Wed 18 Nov not loaded, or not over\n'],
    ],
    [
      'of a week counts more days',
      lacking(['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19']),
      ['- North office: 4 days not loaded, or not over\n'],
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
      'because its figures may be low says so first, compares nothing in its subject, and is not complete',
      { name: 'M', accounts: [short], history, completeThrough: '2026-11-19', asOf: null },
      [
        'Figures may be low: M, Thu 19 Nov: 61.0% connected, 12,480 attempts\n',
        `\nFigures may be low: by the service’s own response, campaigns or counts are missing.\n- North office\n${follows}\n`,
        'Attempts (may be low): 12,480',
        '\nNot complete yet.\n',
      ],
      /%\) *\n/,
    ],
    [
      'for both reasons promises a corrected one once',
      { accounts: [short, failed] },
      [`- Coast office: not loaded\n${follows}\n\nFigures may be low`, '\n- North office\n\n'],
      /follows[\s\S]*follows/,
    ],
    [
      'because some accounts’ figures may be low names five of them, and compares the others',
      {
        accounts: [
          ...eight.map((each) => accountTotals({ ...each, shortDays: ['2026-11-19'] })),
          totalsOf('north', 5),
        ],
        history: weeks.map((day) => accountDay('north', day, 61)),
      },
      [
        'Figures may be low: Campaigns, Thu 19 Nov: 61.0% connected\n',
        `- A0, A1, A2, A3, A4 and 3 more\n${follows}\n`,
        '\nCompared with a typical Thursday over the accounts with complete data: 1 of 9.\n',
        'A0 (may be low)',
      ],
    ],
  ])('%s', (_, part, says, not) => expectMail(part, says, not));
});

describe('what the service did not report', () => {
  const unreported = (attempts: number, connects = 3) => ({ attempts, busies: 0, connects, liveAnswers: 0 });
  const title = '\nNot reported by the service, and in no sum or rate:\n';
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
        `${title}- North office: connects of 3 of 41 campaigns\n- Coast office: attempts of 1 of 41 campaigns and connects of 3 of 41 campaigns\n\n`,
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
    ['is not taken for no calls where an account is missing', { accounts: [idle, failed] }, [], /No calls/],
  ])('%s', (_, part, says, not) => expectMail(part, says, not));

  test('is a warning where attempts are among it, else a plain note', () => {
    const kindOf = (attempts: number) =>
      /class="note-(\w+)/.exec(
        digestHtml(
          contentOf(figures({ accounts: [accountTotals({ unreported: unreported(attempts) })] })),
          '',
        ),
      )?.[1];
    expect([kindOf(1), kindOf(0)]).toEqual(['warning', 'plain']);
  });
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

test('accounts with the same campaigns are named, up to five, and the days of a week with them', () => {
  const sameCampaigns = [
    {
      accounts: eight.map(({ account, label }) => ({ name: account, label })),
      days: ['2026-11-16', '2026-11-18'],
    },
  ];
  const names = 'A0, A1, A2, A3, A4 and 3 more';
  const line = `\nProbably counted more than once: ${names} have the same campaigns with the same counts.\n`;
  expectMail({ sameCampaigns }, [`${line}\n`]);
  expectMail({ sameCampaigns, period: week }, [`${line}- Mon 16 Nov and Wed 18 Nov\n`]);
});

describe('needs attention:', () => {
  const attention = (part: Partial<Attention>) => ({ attention: { ...quiet, ...part } });
  const to = sumsOf({ attempts: 1_520, busies: 152, connects: 387, liveAnswers: 76 });
  const changed = (from: ReturnType<typeof sumsOf>, label = 'North office') => ({
    label,
    day: '2026-11-12',
    campaigns: 2,
    from,
    to,
  });
  const suspicious = (reason: SuspiciousDay['reason'], detail: string | null = null) => ({
    label: 'Coast\noffice',
    day: '2026-11-19',
    reason,
    detail,
  });
  const held = { label: 'N', day: '2026-11-16', since: '2026-11-19 06:30:11+00', isNew: true };
  const lowBalances = (newCount: number) => ({
    count: 93,
    newCount,
    lowest: newCount === 0 ? [] : [{ label: 'North office', name: 'Grove Dental', balance: '-3.50' }],
  });
  test.each<Case>([
    [
      'a changed day in its digest, from what was not reported',
      attention({ restated: [changed(sumsOf({ ...to, attempts: null }))] }),
      [
        '\nChanged since the last digest\n- North office, Thu 12 Nov: attempts not reported → 1,520 (2 campaigns)\n',
      ],
    ],
    [
      'a changed day of a week whose earlier sums are not known',
      { ...attention({ restated: [changed(sumsOf({}))] }), period: week },
      [
        '- North office, Thu 12 Nov: now 1,520 attempts, 152 busies, 387 connects, 76 live answers (2 campaigns)\n',
      ],
    ],
    [
      'a changed day of a week of which some earlier sums are known',
      {
        ...attention({ restated: [changed(sumsOf({ ...to, attempts: null, connects: 380 }))] }),
        period: week,
      },
      ['Thu 12 Nov: attempts not reported → 1,520, connects 380 → 387 (2 campaigns)\n'],
    ],
    [
      'a changed day with the same sums',
      attention({ restated: [changed(to)] }),
      ['Thu 12 Nov: the same sums (2 campaigns)\n'],
    ],
    [
      'changed days, the largest change first',
      attention({
        restated: [
          changed(sumsOf({ ...to, attempts: 1_510 }), 'Small'),
          changed(sumsOf({ ...to, attempts: 20 }), 'Large'),
        ],
      }),
      ['digest\n- Large', '\n- Small'],
    ],
    [
      'responses that may be wrong, in words',
      attention({
        suspicious: [
          suspicious('unreported', 'connects, live_answers'),
          suspicious('notice', 'Trial\nends soon'),
          suspicious('counts'),
          suspicious('unreadable'),
        ],
      }),
      [
        'Loaded, but the response may be wrong\n- Coast office, Thu 19 Nov: most campaigns report no connects and live answers\n- Coast office, Thu 19 Nov: the service added “Trial ends soon”\n- Coast office, Thu 19 Nov: the service announced more campaigns than it listed\n- Coast office, Thu 19 Nov: some records cannot be read\n',
      ],
    ],
    [
      'five lines, the most serious first, and a number of others with their kinds',
      attention({
        newClients: [{ label: 'N', count: 1_002, names: ['Ana', 'B\tLtd'] }],
        restated: [changed(to)],
        suspicious: [...Array(4).fill(suspicious('no calls')), suspicious('counts')],
        held: [held],
      }),
      [
        '\nNeeds attention: Held back · No calls on a weekday that usually has some · 3 more\n',
        '\nHeld back\n- N, Mon 16 Nov: since 19 Nov, 06:30 UTC',
        '\n3 more\n- Loaded, but the response may be wrong · Changed since the last digest · New clients\n',
      ],
    ],
    [
      'four kinds, by their names',
      attention({
        newClients: [{ label: 'N', count: 1, names: ['Ana'] }],
        vanishedClients: [{ label: 'N', count: 1, names: ['Ben'] }],
        restated: [changed(to)],
        held: [held],
      }),
      [
        '\nNeeds attention: Held back · Changed since the last digest · Clients no longer listed · New clients\n',
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
      ['\nNEEDS ATTENTION\n\nStill held back: 1 day.\n'],
      /Needs attention/,
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
  const mover = (attempts: number, typical: number) => ({
    label: 'North office',
    callsetId: 7,
    campaign: 'Win back',
    attempts,
    typical,
  });
  const sunday = (day: string, part: Omit<EarlierPeriod, 'period'>) => ({
    ...part,
    period: periodOf('week', day),
  });
  const many = Array.from({ length: 11 }, (_, index) => totalsOf(`a${index}`, 1_000 + 100 * index));
  const campaigns = (count: number, ...others: ReturnType<typeof accountTotals>[]) => {
    const { topCampaigns, extremeRates } = busyWeek();
    return { topCampaigns, extremeRates, accounts: [accountTotals({ campaigns: count }), ...others] };
  };
  const toDate = ['2026-11-16', '2026-11-17', '2026-11-19'].map((day) => accountDay('north', day, 100));
  test.each<Case>([
    [
      'of earlier periods has their figures, from → to where they were mailed before, and what they are',
      {
        earlier: [
          sunday('2026-11-01', {
            accounts: [accountTotals()],
            before: [accountTotals({ attempts: 1_000, connects: 610 })],
          }),
          sunday('2026-11-08', { accounts: [short, accountTotals({ state: 'provisional' })], before: null }),
          sunday('2026-11-15', { accounts: [failed], before: null }),
          sunday('2026-11-22', { accounts: [accountTotals()], before: [failed] }),
        ],
      },
      [
        `EARLIER PERIODS AND CORRECTIONS
      Attempts  Connected  Period
1,000 → 12,480      61.0%  Week of 26 Oct (corrected)
        24,960      61.0%  Week of 2 Nov (incomplete, may be low)
             –          –  Week of 9 Nov (not loaded)
    – → 12,480  – → 61.0%  Week of 16 Nov (corrected)
`,
      ],
    ],
    [
      'of movers has a percentage only if it says something',
      { movers: [mover(20, 1_200.4), mover(4_000, 100), mover(40, 12), mover(424, 0)] },
      [
        '  1,200  20 (−98%)  Win back\n    100      4,000  Win back\n     12         40  Win back\n      0  424 (new)  Win back\n',
      ],
    ],
    [
      'of many accounts has the ten that moved most, and the sum of the others',
      {
        accounts: many,
        history: many.flatMap(({ account }) => weeks.map((day) => accountDay(account, day, 1_000))),
      },
      [
        'ACCOUNTS THAT MOVED MOST\n',
        'Busy  Account\n2,000 (+100%)      50.0%  25.0%  10.0%  a10\n',
        '        1,000      50.0%  25.0%  10.0%  1 more\n',
      ],
    ],
    [
      'of more than ten campaigns has the top ten, and the rates',
      campaigns(11),
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
      'to date says how many of its days are incomplete',
      {
        history: [...toDate, { ...accountDay('north', '2026-11-18', 0), attempts: null }],
        coverage: [coverage({ recentlyMissing: ['2026-11-01'] })],
      },
      [
        '     300      50.0%  Week to date (16–19 Nov, 1 day incomplete)\n     300      50.0%  Month to date (1–19 Nov, 2 days incomplete)\n',
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
