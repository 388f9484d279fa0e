import {
  type Change,
  type Comparison,
  type CountName,
  type Counts,
  campaignsOf,
  compare,
  countNames,
  type Days,
  daysOf,
  explained,
  extremeRates,
  movedOf,
  newestName,
  type Period,
  type Rate,
  type RateChange,
  type Row,
  rateOf,
  sumOf,
  topCampaigns,
  total,
  typicalOf,
  usualAttempts,
} from './figures.ts';
import type { Part } from './read-mail.ts';
import type { Anomaly } from './windows.ts';

/* What a manager is to read in a mail, line by line, by the figures of an analyst. */

/** What a mail says of one of its accounts. */
export type AccountState = {
  readonly account: string;
  readonly rows: readonly Row[];
  /** What the service listed on its days: the same content is no news. */
  readonly content: string;
  readonly hasFigures: boolean;
  /** Days that aren't loaded, and those that are provisional. */
  readonly lacking: readonly number[];
  readonly provisional: readonly { readonly day: number; readonly anomalies: readonly Anomaly[] }[];
  /** What is the way of the service: of its confirmed days, oldest first. */
  readonly usual: readonly Anomaly[];
};

export type EarlierPeriod = {
  readonly period: Period;
  readonly accounts: readonly AccountState[];
  /** What was mailed before; undefined if nothing was. */
  readonly before: readonly AccountState[] | undefined;
};

/** What is new since the last digest, and what merely stands. */
export type News = {
  readonly held: readonly { readonly account: string; readonly day: number }[];
  readonly stillHeld: number;
  /** Clients below 25.00. For the database's clock a story is long ago, so none is new. */
  readonly lowBalances: number;
  readonly vanished: readonly ClientNews[];
  readonly appeared: readonly ClientNews[];
  /** Accounts that no mail had before, and those of the last mail that aren't in the digest any more. */
  readonly joined: readonly string[];
  readonly left: readonly string[];
};
export type ClientNews = { readonly account: string; readonly names: readonly string[] };
export type Facts = EarlierPeriod & {
  readonly name: string;
  readonly days: Days;
  /** The first day that is expected of an account. */
  readonly since: (account: string) => number;
  readonly news: News;
  readonly earlier: readonly EarlierPeriod[];
  /** The day through which its accounts are complete; null if they aren't yet. */
  readonly completeThrough: number | null;
};

export function expectedMail(facts: Facts): Part[] {
  const { name, accounts, period, days, before } = facts;
  const words = wordsOf(period, days);
  const known = accounts.filter(({ hasFigures }) => hasFigures);
  const rows = known.flatMap((each) => each.rows);
  const compared = compare(
    days,
    accounts.map(({ account }) => account),
    period,
  );
  const marking = markingOf(facts);
  const provisional = marking.filter((each) => each.provisional.length > 0);
  const lacking = marking.filter((each) => each.lacking.length > 0);
  const mark = lacking.length > 0 ? 'incomplete' : provisional.length > 0 ? 'provisional' : null;
  const empty = emptyLine(facts, rows);
  const attention = attentionLines(facts, words);
  const figures: Part[] = [
    { kind: 'tiles', lines: tiles(facts, rows, compared, mark, words) },
    { kind: 'compared', lines: comparedLines(facts, compared, mark, words) },
    { kind: 'chart', lines: chartLines(facts, words) },
    { kind: 'best and worst', lines: bestAndWorstLines(facts, words) },
    { kind: 'to date', lines: toDateLines(facts, words) },
    { kind: 'movers', lines: moverLines(facts, compared, words) },
    { kind: 'accounts', lines: accountLines(facts, compared, words) },
    ...campaignParts(facts, rows),
  ];
  const parts: Part[] = [
    { kind: 'subject', lines: [subject(facts, rows, compared, mark, words)] },
    {
      kind: 'headline',
      lines: [name, words.long, ...(empty === null ? [] : [empty])],
    },
    { kind: 'lead', lines: empty === null ? leadLines(facts, compared, words) : [] },
    {
      kind: 'corrected',
      lines: [
        ...(before === undefined ? [] : correctedLines(facts, before, words)),
        ...movedLines(facts.earlier, days),
      ],
    },
    { kind: 'incomplete', lines: incompleteLines(facts, lacking, words) },
    { kind: 'provisional', lines: provisionalLines(facts, provisional, lacking, words) },
    { kind: 'pointer', lines: pointerLines(attention) },
    ...(empty === null ? figures : []),
    { kind: 'earlier', lines: earlierLines(facts.earlier, days) },
    { kind: 'attention', lines: shownAttention(attention) },
    { kind: 'ongoing', lines: ongoingLines(facts, known) },
    {
      kind: 'complete',
      lines: [
        facts.completeThrough === null
          ? 'Not complete yet.'
          : `Complete through ${dateIn(days.dateOf(facts.completeThrough), longDay)}.`,
      ],
    },
  ];
  return parts.filter(({ lines }) => lines.length > 0);
}

const isLacking = (accounts: readonly AccountState[]) => accounts.some(({ lacking }) => lacking.length > 0);
type Words = ReturnType<typeof wordsOf>;

function wordsOf({ every, first, last }: Period, { dateOf }: Days) {
  const day = (number: number) => dateIn(dateOf(number), shortDay);
  const daysFrom = (from: number, to: number, month: 'short' | 'long' = 'short') =>
    rangeIn(
      dateOf(from),
      dateOf(to),
      month === 'short' ? { day: 'numeric', month } : { day: 'numeric', month, year: 'numeric' },
    );
  const before = Temporal.PlainDate.from(dateOf(first)).subtract({ days: 1 }).toString();
  const basis = {
    day: `a typical ${dateIn(dateOf(last), { weekday: 'long' })}`,
    week: 'a typical week',
    month: dateIn(before, { month: 'long' }),
  }[every];
  return {
    day,
    daysFrom,
    basis,
    vs: every === 'month' ? `per day with calls vs ${basis}` : `vs ${basis}`,
    short: titleOf({ every, first, last }, dateOf),
    long: {
      day: dateIn(dateOf(last), longDay),
      week: `Week of ${daysFrom(first, last, 'long')}`,
      month: dateIn(dateOf(first), { month: 'long', year: 'numeric' }),
    }[every],
    that: `that ${every}`,
  };
}

/** `Thu 19 Nov`, `Week of 16 Nov`, `November 2026`. */
const titleOf = ({ every, first }: Period, dateOf: Days['dateOf']) =>
  ({
    day: dateIn(dateOf(first), shortDay),
    week: `Week of ${dateIn(dateOf(first), { day: 'numeric', month: 'short' })}`,
    month: dateIn(dateOf(first), { month: 'long', year: 'numeric' }),
  })[every];

/** What fits into 69 letters: phones cut longer ones. */
function subject(
  { name, accounts, before }: Facts,
  rows: readonly Row[],
  comparison: Comparison | null,
  mark: Mark,
  { short }: Words,
): string {
  const marks = [
    ...(before === undefined ? [] : ['Corrected']),
    ...(mark === 'incomplete' ? ['Incomplete'] : []),
    ...(mark === 'provisional' ? ['Provisional'] : []),
  ].join(', ');
  const start = `${marks === '' ? '' : `${marks}: `}${name}, ${short}: `;
  const attempts = sumOf(rows, 'attempts');
  if (!accounts.some(({ hasFigures }) => hasFigures)) return `${start}nothing loaded`;
  if (attempts === null)
    return `${start}${counted(campaignsOf(rows).length, 'campaign')}, attempts not reported`;
  if (attempts === 0) return `${start}no calls${mark === 'incomplete' ? ' so far' : ''}`;
  const rate = `${rateText(rateOf(rows, 'connects'))} connected`;
  const isOfAll = comparison !== null && comparison.leftOut.length === 0;
  const change = isOfAll && comparison.total.attempts ? percent(comparison.total.attempts) : null;
  const volume = `${rate}, ${count(attempts)} attempts`;
  const all = [...(change ? [`${volume} (${change})`] : []), volume, rate].map((line) => start + line);
  return all.find((line) => line.length <= 69) ?? all.at(-1)!;
}

function emptyLine({ accounts, period }: Facts, rows: readonly Row[]): string | null {
  if (!accounts.some(({ hasFigures }) => hasFigures))
    return `Nothing is loaded for that ${period.every} yet.`;
  if (rows.some(({ attempts }) => attempts === null || attempts > 0)) return null;
  if (isLacking(accounts)) return 'No calls in the figures loaded so far.';
  return rows.length === 0
    ? `No calls: the service lists no campaigns for that ${period.every}.`
    : 'No calls: no campaign made an attempt.';
}

function tiles(
  { period }: Facts,
  rows: readonly Row[],
  comparison: Comparison | null,
  mark: Mark,
  { vs, basis }: Words,
): string[] {
  const tile = (title: string, figure: string, ...notes: readonly (string | null | undefined)[]) => {
    const said = notes.filter((note) => note != null);
    return `${title}${mark === null ? '' : ` (${mark})`}: ${figure}${said.length === 0 ? '' : ` (${said.join(', ')})`}`;
  };
  const changes = comparison === null || comparison.leftOut.length > 0 ? null : comparison.total;
  const [rate, live] = [rateOf(rows, 'connects'), rateOf(rows, 'liveAnswers')];
  const [attempts, liveAnswers] = [sumOf(rows, 'attempts'), sumOf(rows, 'liveAnswers')];
  const changed = (change: Change | null | undefined) => change && besideText(change, period.every, vs);
  const moved = points(changes?.connectRate ?? null);
  return [
    tile(
      'Connect rate',
      rateText(rate),
      rate ? `${count(rate.part)} of ${count(rate.attempts)} attempts` : connectsAlone(rows),
      moved && `${moved} vs ${basis}`,
    ),
    tile(
      'Attempts',
      count(attempts),
      attempts === null ? 'not reported' : activeCampaigns(rows),
      changed(changes?.attempts),
    ),
    tile(
      'Live answers',
      count(liveAnswers),
      liveAnswers === null ? 'not reported' : rateText(live) === '–' ? null : `${rateText(live)} of attempts`,
      changed(changes?.liveAnswers),
    ),
  ];
}

function connectsAlone(rows: readonly Row[]): string {
  const connects = sumOf(rows, 'connects');
  return connects === null ? 'not reported' : `${count(connects)} connects`;
}

/** The change of those that can be compared, if it isn't that of all. */
function comparedLines(
  facts: Facts,
  comparison: Comparison | null,
  mark: Mark,
  { basis, vs }: Words,
): string[] {
  const { period } = facts;
  if (comparison === null) {
    if (mark !== null) return [];
    return [
      period.every === 'month'
        ? `Not compared: ${basis} isn’t complete.`
        : `Not compared yet: ${basis} takes two earlier ones.`,
    ];
  }
  if (comparison.leftOut.length === 0) return [];
  const { attempts, connectRate } = comparison.total;
  const moved = points(connectRate);
  const figures = [
    ...(attempts === null
      ? []
      : [`${count(attempts.now)} attempts (${besideText(attempts, period.every, vs)})`]),
    ...(moved === null ? [] : [`${rates.format(connectRate!.now)} connected (${moved})`]),
  ];
  return [`Without ${leftOutReasons(facts, comparison)}: ${figures.join(', ')}.`];
}

function leftOutReasons(facts: Facts, { leftOut }: Comparison): string {
  const groups = Map.groupBy(leftOut, (name) => whyLeftOut(facts, name));
  return listed(
    [...groups].map(([why, names]) => `${listed(shortened(names))}${why === null ? '' : ` (${why})`}`),
  );
}

function whyLeftOut({ accounts, days, since, period }: Facts, name: string): string | null {
  const { hasFigures, lacking, provisional } = accounts.find(({ account }) => account === name)!;
  if (!hasFigures) return 'not loaded';
  if (lacking.length > 0) return 'incomplete';
  if (provisional.length > 0) return 'provisional';
  const first = since(name);
  if (period.last - first >= 56) return null;
  return `new since ${rangeIn(days.dateOf(first), days.dateOf(first), { day: 'numeric', month: 'short' })}`;
}

/** What changed most, or that it is a normal period; without the reason. */
function leadLines({ period, days }: Facts, comparison: Comparison | null, { basis }: Words): string[] {
  if (comparison === null) return [];
  const { total: changes, leftOut } = comparison;
  const { attempts, connectRate } = changes;
  const [moved] = movedOf(changes);
  const { every } = period;
  const than = `than ${every === 'day' ? 'on' : 'in'} ${basis}`;
  const normal = {
    day: `A normal ${dateIn(days.dateOf(period.last), { weekday: 'long' })}`,
    week: 'A normal week',
    month: `A month like ${basis}`,
  }[every];
  const said = () => {
    if (moved === 'rate') {
      const { now, reference } = connectRate!;
      const by = pointsText(connectRate!).replace(/^[+−]/, '');
      return `Connect rate ${by} ${now > reference ? 'higher' : 'lower'} ${than}`;
    }
    if (attempts === null) return null;
    if (moved === undefined) {
      const rate = connectRate === null ? '' : `, ${rates.format(connectRate.now)} connected`;
      return `${normal}: ${count(attempts.now)} attempts${rate}`;
    }
    const { now, reference } = attempts;
    const by = percent(attempts)?.replace(/^[+−]/, '');
    if (by === undefined)
      return `${count(now)} attempts instead of ${count(Math.round(reference))} (${basis})`;
    const perDay = every === 'month' ? 'per day with calls ' : '';
    return `${by} ${now > reference ? 'more' : 'fewer'} attempts ${perDay}${than} (${differenceText(now - reference)})`;
  };
  const sentence = said();
  if (sentence === null) return [];
  if (leftOut.length === 0) return [sentence];
  const names = leftOut.length > 3 ? counted(leftOut.length, 'account') : listed(leftOut);
  return [`Without ${names}, ${sentence.replace(/^./, (letter) => letter.toLowerCase())}`];
}

const differences = new Intl.NumberFormat('en', {
  signDisplay: 'exceptZero',
  useGrouping: 'always',
  maximumFractionDigits: 0,
});
const differenceText = (value: number) => differences.format(value).replace('-', '−');

/** The days of the chart, from the first that is loaded on. */
function chartLines({ accounts, days, since, period }: Facts, words: Words): string[] {
  const { every, first, last } = period;
  const names = accounts.map(({ account }) => account);
  const from = { day: last - 13, week: first - 7, month: first }[every];
  const all = daysOf({ first: from, last }).map((day) => ({
    day,
    loaded: names.filter((account) => days.isLoaded(account, day)),
    confirmed: names.filter((account) => days.isConfirmed(account, day)),
  }));
  const shown = all.slice(all.findIndex(({ loaded }) => loaded.length > 0));
  if (shown.filter(({ loaded }) => loaded.length > 0).length < 3) return [];
  const lines = shown.map(({ day, loaded, confirmed }) => {
    const rows = loaded.flatMap((account) => days.rowsOf(account, { first: day, last: day }));
    if (loaded.length === 0) return `– – – ${words.day(day)} (not loaded)`;
    const lacks = names.some((account) => day >= since(account) && !loaded.includes(account));
    const isProvisional = confirmed.length < loaded.length;
    const mark = lacks ? ' (incomplete)' : isProvisional ? ' (provisional)' : '';
    const [attempts, connects] = [sumOf(rows, 'attempts'), sumOf(rows, 'connects')];
    return `${count(attempts)} ${count(connects)} ${rateText(rateOf(rows, 'connects'))} ${words.day(day)}${mark}`;
  });
  return lines;
}

/** Of a week's confirmed days with 20 attempts that are rated. */
function bestAndWorstLines({ accounts, days, since, period }: Facts, words: Words): string[] {
  if (period.every !== 'week') return [];
  const names = accounts.map(({ account }) => account);
  const rated = daysOf(period)
    .filter((day) => names.some((account) => days.isLoaded(account, day)))
    .filter((day) =>
      names.every(
        (account) => days.isConfirmed(account, day) || (day < since(account) && !days.isLoaded(account, day)),
      ),
    )
    .map((day) => ({
      day,
      rate: rateOf(
        names.flatMap((account) => days.rowsOf(account, { first: day, last: day })),
        'connects',
      ),
    }))
    .filter(({ rate }) => rate !== null && rate.attempts >= 20)
    .sort((one, other) => other.rate!.part / other.rate!.attempts - one.rate!.part / one.rate!.attempts);
  const [best, worst] = [rated[0], rated.at(-1)];
  const quotient = ({ rate }: (typeof rated)[number]) => rate!.part / rate!.attempts;
  if (best === undefined || quotient(best) === quotient(worst!)) return [];
  const said = ({ day, rate }: (typeof rated)[number]) => `${words.day(day)} (${rateText(rate)})`;
  return [`Highest connect rate: ${said(best)}. Lowest: ${said(worst!)}.`];
}

/** The week from Monday and the month, up to the day, over the days that are loaded. */
function toDateLines({ accounts, days, since, period: { every, last } }: Facts, words: Words): string[] {
  if (every !== 'day') return [];
  const date = Temporal.PlainDate.from(days.dateOf(last));
  const starts = [
    ['Week to date', last + 1 - date.dayOfWeek],
    ['Month to date', last + 1 - date.day],
  ] as const;
  return starts
    .filter(([, first]) => first < last)
    .map(([title, first]) => {
      const own = daysOf({ first, last }).flatMap((day) =>
        accounts.map(({ account }) => ({
          day,
          isConfirmed: days.isConfirmed(account, day),
          isExpected: day >= since(account),
          isLoaded: days.isLoaded(account, day),
          rows: days.rowsOf(account, { first: day, last: day }),
        })),
      );
      const known = own.filter((each) => each.isLoaded).flatMap(({ rows }) => rows);
      const lacking = own.filter((each) => each.isExpected && !each.isLoaded);
      const daysOfAll = (some: typeof own) => new Set(some.map(({ day }) => day));
      const lacked = daysOfAll(lacking);
      const provisional = daysOfAll(own.filter((each) => each.isLoaded && !each.isConfirmed));
      const loaded = daysOfAll(own.filter((each) => each.isLoaded));
      const marks = [
        [[...lacked].filter((day) => loaded.has(day)).length, 'incomplete'],
        [[...provisional].filter((day) => !lacked.has(day)).length, 'provisional'],
      ] as const;
      const all = last - first + 1;
      const over = loaded.size === all ? '' : `, over ${loaded.size} of ${counted(all, 'day')}`;
      const lack = marks
        .map(([size, mark]) => (size === 0 ? '' : `, ${counted(size, 'day')} ${mark}`))
        .join('');
      const attempts = count(loaded.size === 0 ? null : sumOf(known, 'attempts'));
      return `${attempts} ${rateText(rateOf(known, 'connects'))} ${title} (${words.daysFrom(first, last)}${over}${lack})`;
    });
}

/** The campaigns or accounts that make up the change, and the rest: the rows add up to it. */
function moverLines(
  { accounts, period, days }: Facts,
  comparison: Comparison | null,
  { vs, basis }: Words,
): string[] {
  const found = comparison === null ? null : explained(comparison);
  if (comparison === null || found === null) return [];
  const { attempts, connectRate } = comparison.total;
  const hasEffects = movedOf(comparison.total).includes('rate');
  const rounded = found.rows.map(({ now, typical, effect }) => ({
    now: Math.round(now),
    typical: Math.round(typical),
    tenths: Math.round(1_000 * effect),
  }));
  const left = (of: 'now' | 'typical' | 'tenths', all: number) =>
    Math.round(all) - total(rounded.map((each) => each[of]));
  const rest = {
    now: left('now', attempts?.now ?? 0),
    typical: left('typical', attempts?.reference ?? 0),
    tenths: left('tenths', connectRate === null ? 0 : 1_000 * (connectRate.now - connectRate.reference)),
  };
  const line = ({ now, typical, tenths }: typeof rest, name: string) =>
    [
      count(typical),
      `${count(now)}${now === typical ? '' : ` (${differenceText(now - typical)})`}`,
      ...(hasEffects ? [tenths === 0 ? 'no change' : `${tenthsText(tenths / 10)} points`] : []),
      name,
    ].join(' ');
  const note = vs.replace(/^./, (letter) => letter.toUpperCase());
  const only =
    accounts.length === 1 && period.every === 'month' ? typicalOf(days, accounts[0]!.account, period) : null;
  const calling = (rows: readonly Row[]) =>
    new Set(rows.filter(({ attempts }) => (attempts ?? 0) > 0).map(({ day }) => day)).size;
  const shown =
    only && `; ${counted(calling(only.now), 'day')} with calls, ${calling(only.before[0]!.rows)} in ${basis}`;
  return [
    `${note}${shown ?? ''}`,
    ...found.rows.map((mover, index) =>
      line(
        rounded[index]!,
        found.by === 'accounts' ? mover.account : nameOf(mover.campaign, mover.account, accounts),
      ),
    ),
    ...(found.others === 0 ? [] : [line(rest, `${found.others} other${found.others === 1 ? '' : 's'}`)]),
  ];
}

/** The accounts, each with its own change; of many, the five that moved most. */
function accountLines(facts: Facts, comparison: Comparison | null, { vs, basis }: Words): string[] {
  const { accounts, days, period } = facts;
  if (accounts.length < 2) return [];
  const rowsSum = (name: string) =>
    sumOf(accounts.find(({ account }) => account === name)!.rows, 'attempts') ?? 0;
  const moved = ({ account }: AccountState) => {
    if (comparison === null) return rowsSum(account);
    const change = comparison.ofAccount(account)?.attempts;
    return change ? Math.abs(change.now - change.reference) : 0;
  };
  const sorted =
    accounts.length > 10 ? accounts.toSorted((one, other) => moved(other) - moved(one)) : accounts;
  const shown = accounts.length > 10 ? sorted.slice(0, 5) : sorted;
  const rest = sorted.slice(shown.length);
  return [
    ...(comparison === null ? [] : [vs.replace(/^./, (letter) => letter.toUpperCase())]),
    ...shown.map((each) => {
      if (!each.hasFigures) return `– – – – ${each.account} (not loaded)`;
      const changes = comparison?.ofAccount(each.account);
      const [attempts, rate, ...others] = figuresOf(each.rows);
      const by = (change: string | null | undefined) =>
        change && change !== 'no change' ? ` (${change})` : '';
      const pair = changes === null || changes === undefined ? null : typicalOf(days, each.account, period);
      const calling = (rows: readonly Row[]) =>
        new Set(rows.filter(({ attempts }) => (attempts ?? 0) > 0).map(({ day }) => day)).size;
      const why =
        pair === null
          ? whyLeftOut(facts, each.account)
          : period.every === 'month'
            ? `${counted(calling(pair.now), 'day')} with calls, ${calling(pair.before[0]!.rows)} in ${basis}`
            : null;
      const mark = why === null ? '' : ` (${why})`;
      const change = changes?.attempts && besideText(changes.attempts, period.every, '').trimEnd();
      return [
        `${attempts}${by(change)}`,
        `${rate}${by(points(changes?.connectRate ?? null))}`,
        ...others,
        `${each.account}${mark}`,
      ].join(' ');
    }),
    ...(rest.length === 0
      ? []
      : [
          `${figuresOf(
            rest.filter(({ hasFigures }) => hasFigures).flatMap(({ rows }) => rows),
            rest,
          ).join(' ')} ${rest.length} more`,
        ]),
  ];
}

/** Attempts and the three rates. */
function figuresOf(rows: readonly Row[], accounts?: readonly AccountState[]): string[] {
  const isUnknown = accounts !== undefined && !accounts.some(({ hasFigures }) => hasFigures);
  return [
    isUnknown ? '–' : count(sumOf(rows, 'attempts')),
    ...(['connects', 'liveAnswers', 'busies'] as const).map((name) => rateText(rateOf(rows, name))),
  ];
}

/** The ten largest of more campaigns, and the highest and lowest rates; else all campaigns of a single account. */
function campaignParts({ accounts, period }: Facts, rows: readonly Row[]): Part[] {
  const isMany = accounts.length > 1;
  const lines = (some: ReturnType<typeof topCampaigns>) =>
    some.map(({ account, rows }) =>
      [...figuresOf(rows).slice(0, isMany ? 2 : 4), nameOf(newestName(rows), account, accounts)].join(' '),
    );
  const isTopTen = campaignsOf(rows).length > 10;
  return [
    {
      kind: 'campaigns',
      lines: accounts.length <= 10 && (isTopTen || !isMany) ? lines(topCampaigns(rows)) : [],
    },
    { kind: 'extreme rates', lines: isTopTen && period.every !== 'day' ? lines(extremeRates(rows)) : [] },
  ];
}

/** A campaign's name as far as a phone shows it, with its account if there are several. */
function nameOf(campaign: string, account: string, accounts: readonly AccountState[]): string {
  const letters = [...new Intl.Segmenter('en').segment(campaign)].map(({ segment }) => segment);
  const name = letters.length > 40 ? `${letters.slice(0, 39).join('')}…` : campaign;
  return accounts.length > 1 ? `${name} (${account})` : name;
}

function correctedLines({ accounts }: Facts, before: readonly AccountState[], { that }: Words): string[] {
  const lines = accounts.flatMap(({ account, rows, hasFigures }) => {
    const mailed = before.find((each) => each.account === account);
    if (!hasFigures) return [];
    if (!mailed?.hasFigures) return `${account}: not loaded → ${sumsText(rows)}`;
    const change = changedCounts(countsOf(mailed.rows), countsOf(rows));
    return change === '' ? [] : `${account}: ${change}`;
  });
  return [
    `Corrected: this replaces the digest sent for ${that}.`,
    ...bulleted(lines.length === 0 ? ['The totals are the same; some campaigns changed.'] : shortened(lines)),
  ];
}

const sumsText = (rows: readonly Row[]) =>
  countNames
    .map((name) => {
      const sum = sumOf(rows, name);
      return sum === null ? `${wordOf[name]} not reported` : `${count(sum)} ${wordOf[name]}`;
    })
    .join(', ');

type Mark = 'incomplete' | 'provisional' | null;

function incompleteLines(
  { accounts, period }: Facts,
  lacking: readonly AccountState[],
  words: Words,
): string[] {
  if (lacking.length === 0) return [];
  const groups = [
    ...Map.groupBy(lacking, ({ hasFigures, lacking }) =>
      hasFigures ? `${daysText(lacking, words)} not loaded or not over` : 'not loaded',
    ),
  ];
  const lines = groups.map(([lack, some]) => `${namesOf(some)}: ${lack}`);
  const follows = 'A corrected mail follows once the rest is loaded.';
  if (!accounts.some(({ hasFigures }) => hasFigures))
    return [
      `Incomplete: there are no figures for the ${period.every} yet.`,
      ...bulleted([...lines, follows]),
    ];
  if (lines.length === 1) return [`Incomplete, so too low: ${lines[0]}.`, ...bulleted([follows])];
  return [
    `Incomplete, so too low: ${counted(lacking.length, 'account')}: incomplete.`,
    ...bulleted([...lines, follows]),
  ];
}

/** Those that lack something or aren't confirmed, if they usually make a twentieth of all; new ones only among new ones. */
function markingOf({ days, accounts, period }: Facts): readonly AccountState[] {
  const usual = ({ account }: AccountState) => usualAttempts(days, account, period);
  const doubtful = accounts.filter(({ lacking, provisional }) => lacking.length + provisional.length > 0);
  if (accounts.length === 1 || accounts.every((each) => usual(each) === null)) return doubtful;
  const known = doubtful.filter((each) => usual(each) !== null);
  const sum = (all: readonly AccountState[]) => total(all.map((each) => usual(each) ?? 0));
  return sum(known) * 20 >= sum(accounts) ? known : [];
}

function provisionalLines(
  { period }: Facts,
  provisional: readonly AccountState[],
  lacking: readonly AccountState[],
  words: Words,
): string[] {
  if (provisional.length === 0) return [];
  const codes = provisional
    .flatMap((each) => each.provisional.flatMap(({ anomalies }) => anomalies))
    .map(({ code }) => code);
  const isLow =
    codes.length > 0 && codes.every((code) => ['announced', 'unreadable', 'unreported'].includes(code));
  const isHigh = !isLow && codes.includes('same campaigns');
  const guess = isLow ? 'probably too low' : isHigh ? 'probably too high' : 'perhaps wrong';
  const lines = reasonLines(provisional, period, words);
  const follows = isLow
    ? 'Once the service sends the rest, tomorrow at the earliest, a corrected mail follows.'
    : 'If they change, tomorrow at the earliest, a corrected mail follows.';
  const promised = lacking.length > 0 ? [] : [follows];
  if (lines.length === 1) return [`Provisional, ${guess}: ${lines[0]}.`, ...bulleted(promised)];
  return [
    `Provisional, ${guess}: ${counted(provisional.length, 'account')} not confirmed yet.`,
    ...bulleted([...lines, ...promised]),
  ];
}

/** Accounts with the same reasons share a line. */
function reasonLines(accounts: readonly AccountState[], { every }: Period, words: Words): readonly string[] {
  const groups = Map.groupBy(accounts, ({ provisional }) => {
    const why = [...new Set(provisional.flatMap(({ anomalies }) => anomalies.map(anomalyText)))].join('; ');
    const days = provisional.map(({ day }) => day);
    return every === 'day' ? `: ${why}` : `, ${daysText(days, words)}: ${why}`;
  });
  return shortened([...groups].map(([why, some]) => `${namesOf(some)}${why}`));
}

function anomalyText(anomaly: Anomaly): string {
  switch (anomaly.code) {
    case 'announced':
      return `${anomaly.announced - anomaly.listed} of ${counted(anomaly.announced, 'campaign')} missing`;
    case 'unreadable':
      return 'some records could not be read';
    case 'unreported':
      return `most campaigns report no ${listed(anomaly.counts.map((name) => wordOf[name]))}`;
    case 'no calls':
      return 'no calls, on a weekday that usually has some';
    case 'same campaigns':
      return 'the same campaigns and counts as another account, so probably counted more than once';
  }
}

/** What is the way of each service, as its newest day has it. */
function usualSentences(accounts: readonly AccountState[], isOnly: boolean): string[] {
  const lines = accounts.flatMap(({ account, usual }) => {
    const newest = new Map(usual.map((anomaly) => [anomaly.code, anomaly]));
    return [...newest]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, anomaly]) => `${isOnly ? '' : `${account}: `}${anomalyText(anomaly)}`);
  });
  return lines.length === 0
    ? []
    : [`Usual for this service, so counted as complete: ${shortened(lines).join('; ')}.`];
}

/** How many campaigns of each account left out a count on a day of the period. */
function notReported(accounts: readonly AccountState[], isOnly: boolean): string[] {
  const lines = accounts.flatMap(({ account, rows }) => {
    const campaigns = campaignsOf(rows);
    const parts = countNames.flatMap((name) => {
      const silent = campaigns.filter((each) => each.rows.some((row) => row[name] === null));
      return silent.length === 0
        ? []
        : `${wordOf[name]} of ${silent.length} of ${counted(campaigns.length, 'campaign')}`;
    });
    return parts.length === 0 ? [] : `${isOnly ? '' : `${account}: `}${listed(parts)}`;
  });
  return lines.length === 0
    ? []
    : [`Not reported by the service, so not in any total or rate: ${shortened(lines).join('; ')}.`];
}

/** The confirmed corrections that move a sum by a hundredth: the newest three, and how many others. */
function movedLines(earlier: readonly EarlierPeriod[], { dateOf }: Days): string[] {
  const lines = earlier.flatMap(({ period, accounts, before }) => {
    const isConfirmed = accounts.every(
      ({ hasFigures, lacking, provisional }) => hasFigures && lacking.length + provisional.length === 0,
    );
    if (before === undefined || !isConfirmed) return [];
    const sum = (some: readonly AccountState[], name: CountName) => {
      const known = some.filter(({ hasFigures }) => hasFigures);
      return known.length === 0
        ? null
        : sumOf(
            known.flatMap(({ rows }) => rows),
            name,
          );
    };
    for (const name of ['attempts', 'connects'] as const) {
      const [now, then] = [sum(accounts, name), sum(before, name)];
      const isUnloaded = before.every(({ hasFigures }) => !hasFigures);
      if (now === null || (then === null && !isUnloaded)) continue;
      if (then !== null && Math.abs(now - then) < Math.max(1, 0.01 * then)) continue;
      const said = `Corrected: ${titleOf(period, dateOf)} had ${count(now)} ${wordOf[name]}`;
      return then === null ? `${said}; it wasn’t loaded before.` : `${said}, not ${count(then)}.`;
    }
    return [];
  });
  const others = lines.length - 3;
  return [
    ...lines.slice(-3).toReversed(),
    ...(others <= 0 ? [] : [`Corrected: ${others} more, in the table below.`]),
  ];
}

/** Its figures, from → to if they were mailed before, and what it lacks. At most ten, and the sum of the older ones. */
function earlierLines(earlier: readonly EarlierPeriod[], { dateOf }: Days): string[] {
  const figures = (some: readonly AccountState[]) =>
    figuresOf(
      some.filter(({ hasFigures }) => hasFigures).flatMap(({ rows }) => rows),
      some,
    ).slice(0, 2);
  const changed = (before: readonly AccountState[], accounts: readonly AccountState[]) => {
    const then = figures(before);
    return figures(accounts).map((figure, index) =>
      figure === then[index] ? figure : `${then[index]} → ${figure}`,
    );
  };
  const rest = earlier.slice(0, -10);
  const others = changed(
    rest.flatMap(({ before, accounts }) => before ?? accounts),
    rest.flatMap(({ accounts }) => accounts),
  );
  return [
    ...(rest.length === 0 ? [] : [`${others.join(' ')} ${rest.length} more`]),
    ...earlier.slice(-10).map(({ period, accounts, before }) => {
      const marks = [
        ...(before === undefined ? [] : [correctedMark(before, accounts)]),
        ...(isLacking(accounts) ? ['incomplete'] : []),
        ...(accounts.some(({ provisional, lacking }) => provisional.length > 0 && lacking.length === 0)
          ? ['provisional']
          : []),
      ];
      const said = accounts.some(({ hasFigures }) => hasFigures) ? marks : ['not loaded'];
      return [
        ...changed(before ?? accounts, accounts),
        titleOf(period, dateOf),
        ...(said.length === 0 ? [] : [`(${said.join(', ')})`]),
      ].join(' ');
    }),
  ];
}

/** Which accounts changed, if not all; and what changed, if the attempts didn't. */
function correctedMark(before: readonly AccountState[], accounts: readonly AccountState[]): string {
  const changed = accounts.filter(
    ({ account, content }) => before.find((each) => each.account === account)!.content !== content,
  );
  const sums = (some: readonly AccountState[]) => countsOf(some.flatMap(({ rows }) => rows));
  const [then, now] = [sums(before), sums(accounts)];
  const details = [
    ...(changed.length === accounts.length ? [] : shortened(changed.map(({ account }) => account))),
    ...(then.attempts !== now.attempts ? [] : [changedCounts(then, now) || 'the same totals']),
  ];
  return details.length === 0 ? 'corrected' : `corrected: ${details.join(', ')}`;
}

type Item = { readonly title: string; readonly line: string };

/** What is new since the last digest, the most serious first. */
function attentionLines({ news, before }: Facts, words: Words): Item[] {
  const { day } = words;
  const about = (each: { readonly account: string; readonly day: number }) =>
    `${each.account}, ${day(each.day)}`;
  const items = <Each>(title: string, all: readonly Each[], line: (each: Each) => string) =>
    all.map((each) => ({ title, line: line(each) }));
  const accounts = (title: string, names: readonly string[], said: string): Item[] =>
    names.length === 0 ? [] : [{ title, line: `${listed(shortened(names))}${said}` }];
  const clients = ({ account, names }: ClientNews) =>
    `${account}: ${listed(names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names)}`;
  return [
    ...items('Held back', news.held, about),
    // A correction is about its period, not about who is there today.
    ...(before === undefined
      ? [
          ...accounts('New account', news.joined, ''),
          ...accounts('Account gone', news.left, ': no longer in this digest'),
        ]
      : []),
    ...items('Clients no longer listed', news.vanished, clients),
    ...items('New clients', news.appeared, clients),
  ];
}

/** One line of what merely stands. */
function ongoingLines(
  { accounts, news: { stillHeld, lowBalances } }: Facts,
  known: readonly AccountState[],
): string[] {
  const isOnly = accounts.length === 1;
  const sentences = [
    ...(stillHeld === 0 ? [] : [`Still held back: ${counted(stillHeld, 'day')}.`]),
    ...usualSentences(known, isOnly),
    ...notReported(known, isOnly),
    ...(lowBalances === 0 ? [] : [`${counted(lowBalances, 'balance')} below 25.00.`]),
  ];
  return sentences.length === 0 ? [] : [sentences.join(' ')];
}

/** Five lines, and of which kinds the others are. */
function shownAttention(items: readonly Item[]): string[] {
  const groups = Map.groupBy(items.slice(0, 5), ({ title }) => title);
  const rest = items.slice(5);
  const kinds = [...new Set(rest.map(({ title }) => title))].join(' · ');
  return [
    ...[...groups].flatMap(([title, own]) => [title, ...bulleted(own.map(({ line }) => line))]),
    ...(rest.length === 0 ? [] : [`${rest.length} more`, ...bulleted([kinds])]),
  ];
}

function pointerLines(items: readonly Item[]): string[] {
  const [first, second] = items;
  if (first === undefined) return [];
  if (second === undefined) return [`Needs attention: ${first.title}, ${first.line}`];
  const titles = new Set(items.slice(0, 5).map(({ title }) => title));
  const all = items.length > 5 ? [...titles, `${items.length - 5} more`] : [...titles];
  return [
    `Needs attention: ${(all.length > 4 ? [...all.slice(0, 3), `${all.length - 3} more`] : all).join(' · ')}`,
  ];
}

const wordOf: Readonly<Record<CountName, string>> = {
  attempts: 'attempts',
  busies: 'busies',
  connects: 'connects',
  liveAnswers: 'live answers',
};

const countsOf = (rows: readonly Row[]): Counts => ({
  attempts: sumOf(rows, 'attempts'),
  busies: sumOf(rows, 'busies'),
  connects: sumOf(rows, 'connects'),
  liveAnswers: sumOf(rows, 'liveAnswers'),
});

const changedCounts = (from: Counts, to: Counts) =>
  countNames
    .filter((name) => from[name] !== to[name])
    .map((name) => `${wordOf[name]} ${reported(from[name])} → ${reported(to[name])}`)
    .join(', ');

const numbers = new Intl.NumberFormat('en', { useGrouping: 'always' });
const count = (value: number | null) => (value === null ? '–' : numbers.format(value).replace('-', '−'));
const reported = (value: number | null) => (value === null ? 'not reported' : numbers.format(value));
const counted = (number: number, noun: string) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
const rates = new Intl.NumberFormat('en', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const rateText = (rate: Rate | null) =>
  rate === null || rate.attempts === 0 ? '–' : rates.format(rate.part / rate.attempts);

const percents = new Intl.NumberFormat('en', { style: 'percent', signDisplay: 'exceptZero' });

/** Null for a base under 20, or above 300%: nobody understands such a percentage. */
function percent({ now, reference }: Change): string | null {
  if (Math.round(now) === Math.round(reference)) return 'no change';
  if (reference < 20 || now / reference - 1 > 3) return null;
  const text = percents.format(now / reference - 1).replace('-', '−');
  return text === '0%' ? 'no change' : text;
}

/** A change beside its figure. */
function besideText(change: Change, every: Period['every'], vs: string): string {
  const text = percent(change);
  if (text !== null) return `${text} ${vs}`;
  return `${every === 'month' ? 'the month before:' : 'typically'} ${count(Math.round(change.reference))}`;
}

const tenths: Intl.NumberFormat = new Intl.NumberFormat('en', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});

const tenthsText = (value: number) => tenths.format(value).replace('-', '−');

function pointsText({ now, reference }: RateChange): string {
  const text = tenths.format((now - reference) * 100).replace('-', '−');
  return text === '0.0' ? 'no change' : `${text} points`;
}

/** Null for rates of fewer than 20 attempts, which differ by chance. */
const points = (change: RateChange | null) =>
  change === null || Math.min(change.attempts.now, change.attempts.reference) < 20
    ? null
    : pointsText(change);

const shortDay = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const longDay = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
const instantOf = (date: string) => Date.parse(`${date}T00:00:00Z`);
const dateIn = (date: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(instantOf(date)).replace(',', '');
const rangeIn = (from: string, to: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
    .formatRange(instantOf(from), instantOf(to))
    .replaceAll('\u2009', '');

const listed = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);
const shortened = (lines: readonly string[]) =>
  lines.length <= 6 ? lines : [...lines.slice(0, 5), `${lines.length - 5} more`];
const namesOf = (accounts: readonly AccountState[]) =>
  listed(shortened(accounts.map(({ account }) => account)));
const daysText = (days: readonly number[], { day }: Words) =>
  days.length > 3 ? counted(days.length, 'day') : listed(days.map(day));
const bulleted = (lines: readonly string[]) => lines.map((line) => `- ${line}`);

/** Those without calls are counted apart. */
function activeCampaigns(rows: readonly Row[]): string {
  const campaigns = campaignsOf(rows);
  const active = campaigns.filter((each) => each.rows.some(({ attempts }) => attempts !== 0));
  const idle = campaigns.length - active.length;
  return `${counted(active.length, 'campaign')}${idle === 0 ? '' : `; ${count(idle)} without calls`}`;
}
