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

/*
 * The figures that a manager is to read in a mail, line by line: numbers as they are rounded, days of a month, names, and
 * what isn't complete. Words are what test/digest reads.
 */

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
  readonly days: Days;
  /** The first day that is expected of an account. */
  readonly since: (account: string) => number;
  readonly news: News;
  readonly earlier: readonly EarlierPeriod[];
  /** The day through which its accounts are complete; null if they aren't yet. */
  readonly completeThrough: number | null;
};

type Cell = number | string | null;
/** Numbers are counts. Null is a dash: not known. Empty cells are left out. */
const line = (...cells: readonly Cell[]) =>
  cells
    .map((cell) => (typeof cell === 'string' ? cell : count(cell)))
    .filter((cell) => cell !== '')
    .join(' ');

/** The names that may stand in its lines. */
export const namesIn = ({ accounts, days, period, earlier, news }: Facts): string[] => {
  const names = accounts.map(({ account }) => account);
  const first = Math.min(period.first, ...earlier.map((each) => each.period.first)) - 70;
  const campaigns = names.flatMap((account) => days.rowsOf(account, { first, last: period.last }));
  return [
    ...names,
    ...news.left,
    ...new Set(campaigns.map(({ campaign }) => shortName(campaign))),
    ...[...news.vanished, ...news.appeared].flatMap((each) => each.names),
  ];
};

export function expectedMail(facts: Facts): Part[] {
  const { accounts, period, days, before } = facts;
  const known = accounts.filter(({ hasFigures }) => hasFigures);
  const rows = known.flatMap((each) => each.rows);
  const names = accounts.map(({ account }) => account);
  const compared = compare(days, names, period);
  const marking = markingOf(facts);
  const provisional = marking.filter((each) => each.provisional.length > 0);
  const lacking = marking.filter((each) => each.lacking.length > 0);
  const mark = lacking.length > 0 ? 'incomplete' : provisional.length > 0 ? 'provisional' : '';
  const isEmpty = known.length === 0 || rows.every(({ attempts }) => attempts === 0);
  const figures: Part[] = [
    { kind: 'lead', lines: leadLines(compared) },
    { kind: 'tiles', lines: tiles(rows, compared, mark) },
    { kind: 'compared', lines: comparedLines(facts, compared, mark) },
    { kind: 'chart', lines: chartLines(facts) },
    { kind: 'best and worst', lines: bestAndWorstLines(facts) },
    { kind: 'to date', lines: toDateLines(facts) },
    { kind: 'movers', lines: moverLines(facts, compared) },
    { kind: 'accounts', lines: accountLines(facts, compared) },
    ...campaignParts(facts, rows),
  ];
  const parts: Part[] = [
    { kind: 'subject', lines: [subject(facts, rows, compared, mark)] },
    { kind: 'headline', lines: ['', line(longTitle(period, days)), ...(isEmpty ? [''] : [])] },
    {
      kind: 'corrected',
      lines: [
        ...(before === undefined ? [] : correctedLines(facts, before)),
        ...movedLines(facts.earlier, days),
      ],
    },
    { kind: 'incomplete', lines: incompleteLines(facts, lacking) },
    { kind: 'provisional', lines: provisionalLines(facts, provisional, lacking) },
    ...(isEmpty ? [] : figures),
    { kind: 'earlier', lines: earlierLines(facts.earlier, days) },
    { kind: 'attention', lines: attentionLines(facts) },
    { kind: 'ongoing', lines: ongoingLines(facts, known) },
    {
      kind: 'complete',
      lines: [facts.completeThrough === null ? '' : dateText(days, facts.completeThrough)],
    },
  ];
  return parts.filter(({ lines }) => lines.length > 0);
}

const dateIn = ({ dateOf }: Days, day: number) => Temporal.PlainDate.from(dateOf(day));
const dayText = (days: Days, day: number) => String(dateIn(days, day).day);
const dateText = (days: Days, day: number) => line(dayText(days, day), String(dateIn(days, day).year));

/** `Thu 19 Nov`, `Week of 16 Nov`, `November 2026`. */
const shortTitle = ({ every, first }: Period, days: Days) =>
  every === 'month' ? String(dateIn(days, first).year) : dayText(days, first);

/** `Thursday 19 November 2026`, `Week of 16–22 November 2026`, `November 2026`. */
function longTitle({ every, first, last }: Period, days: Days): string {
  if (every === 'month') return String(dateIn(days, first).year);
  if (every === 'day') return dateText(days, last);
  const isOfOneYear = dateIn(days, first).year === dateIn(days, last).year;
  return line(isOfOneYear ? dayText(days, first) : dateText(days, first), dateText(days, last));
}

/** A subject leaves out at its end what a phone cuts. */
function subject(
  { accounts, before, period, days }: Facts,
  rows: readonly Row[],
  comparison: Comparison | null,
  mark: Mark,
): string {
  const start = line(before === undefined ? '' : 'corrected', mark, shortTitle(period, days));
  const attempts = sumOf(rows, 'attempts');
  if (!accounts.some(({ hasFigures }) => hasFigures) || attempts === 0) return start;
  if (attempts === null) return line(start, campaignsOf(rows).length);
  const isOfAll = comparison !== null && comparison.leftOut.length === 0;
  const change = isOfAll && comparison.total.attempts ? percent(comparison.total.attempts) : '';
  return line(start, rateText(rateOf(rows, 'connects')), attempts, change ?? '');
}

type Mark = 'incomplete' | 'provisional' | '';

function tiles(rows: readonly Row[], comparison: Comparison | null, mark: Mark): string[] {
  const changes = comparison === null || comparison.leftOut.length > 0 ? null : comparison.total;
  const [rate, live] = [rateOf(rows, 'connects'), rateOf(rows, 'liveAnswers')];
  const [attempts, connects, liveAnswers] = [
    sumOf(rows, 'attempts'),
    sumOf(rows, 'connects'),
    sumOf(rows, 'liveAnswers'),
  ];
  const changed = (change: Change | null | undefined) => (change ? besideText(change) : '');
  const campaigns = campaignsOf(rows);
  const active = campaigns.filter((each) => each.rows.some(({ attempts }) => attempts !== 0)).length;
  const idle = campaigns.length - active;
  return [
    line(
      mark,
      rateText(rate),
      ...(rate ? [rate.part, rate.attempts] : [connects ?? '']),
      points(changes?.connectRate ?? null) ?? '',
    ),
    line(
      mark,
      attempts,
      ...(attempts === null ? [] : [active, idle === 0 ? '' : idle]),
      changed(changes?.attempts),
    ),
    line(
      mark,
      liveAnswers,
      liveAnswers === null || rateText(live) === '–' ? '' : rateText(live),
      changed(changes?.liveAnswers),
    ),
  ];
}

/** The change of those that can be compared, if it isn't that of all. */
function comparedLines(facts: Facts, comparison: Comparison | null, mark: Mark): string[] {
  if (comparison === null) return mark === '' ? [''] : [];
  const { leftOut, total: changes } = comparison;
  if (leftOut.length === 0) return [];
  const { attempts, connectRate } = changes;
  const groups = Map.groupBy(leftOut, (name) => whyLeftOut(facts, name));
  const moved = points(connectRate);
  return [
    line(
      ...[...groups].flatMap(([why, names]) => [...shortened(names), why]),
      ...(attempts === null ? [] : [attempts.now, besideText(attempts)]),
      ...(moved === null ? [] : [rates.format(connectRate!.now), moved]),
    ),
  ];
}

function whyLeftOut({ accounts, days, since, period }: Facts, name: string): string {
  const { hasFigures, lacking, provisional } = accounts.find(({ account }) => account === name)!;
  if (!hasFigures) return 'not loaded';
  if (lacking.length > 0) return 'incomplete';
  if (provisional.length > 0) return 'provisional';
  return period.last - since(name) >= 56 ? '' : dayText(days, since(name));
}

/** What changed most, or that it is a normal period; without the reason. */
function leadLines(comparison: Comparison | null): string[] {
  if (comparison === null) return [];
  const { total: changes, leftOut } = comparison;
  const { attempts, connectRate } = changes;
  const [moved] = movedOf(changes);
  const change = () => {
    if (moved === 'rate')
      return line(pointsText(connectRate!).replace(/^[+-]/, ''), direction(connectRate!, 'lower'));
    if (attempts === null) return null;
    const { now, reference } = attempts;
    if (moved === undefined) return line(now, connectRate === null ? '' : rates.format(connectRate.now));
    const by = percent(attempts)?.replace(/^[+-]/, '');
    if (by === undefined) return line(now, Math.round(reference));
    return line(by, direction(attempts, 'fewer'), differences.format(now - reference));
  };
  const sentence = change();
  if (sentence === null) return [];
  return [line(...(leftOut.length > 3 ? [leftOut.length] : leftOut), sentence)];
}

const direction = ({ now, reference }: Change, down: string) => (now > reference ? '' : down);

/** The days of the chart, from the first that is loaded on. */
function chartLines({ accounts, days, since, period }: Facts): string[] {
  const { every, first, last } = period;
  const names = accounts.map(({ account }) => account);
  const from = { day: last - 13, week: first - 7, month: first }[every];
  const all = daysOf({ first: from, last }).map((day) => ({
    day,
    loaded: names.filter((account) => days.isLoaded(account, day)),
    isConfirmed: names.every((account) => days.isConfirmed(account, day) || !days.isLoaded(account, day)),
  }));
  const shown = all.slice(all.findIndex(({ loaded }) => loaded.length > 0));
  if (shown.filter(({ loaded }) => loaded.length > 0).length < 3) return [];
  return shown.map(({ day, loaded, isConfirmed }) => {
    if (loaded.length === 0) return line(null, null, null, dayText(days, day), 'not loaded');
    const rows = loaded.flatMap((account) => days.rowsOf(account, { first: day, last: day }));
    const lacks = names.some((account) => day >= since(account) && !loaded.includes(account));
    const [attempts, connects, rate] = [
      sumOf(rows, 'attempts'),
      sumOf(rows, 'connects'),
      rateOf(rows, 'connects'),
    ];
    const mark = lacks ? 'incomplete' : isConfirmed ? '' : 'provisional';
    return line(attempts, connects, rateText(rate), dayText(days, day), mark);
  });
}

/** Of a week's confirmed days with 20 attempts that are rated. */
function bestAndWorstLines({ accounts, days, since, period }: Facts): string[] {
  if (period.every !== 'week') return [];
  const names = accounts.map(({ account }) => account);
  const isComplete = (day: number) =>
    names.some((account) => days.isLoaded(account, day)) &&
    names.every(
      (account) => days.isConfirmed(account, day) || (day < since(account) && !days.isLoaded(account, day)),
    );
  const rated = daysOf(period)
    .filter(isComplete)
    .map((day) => {
      const rows = names.flatMap((account) => days.rowsOf(account, { first: day, last: day }));
      const { part, attempts } = rateOf(rows, 'connects') ?? { part: 0, attempts: 0 };
      return { day, attempts, rate: part / attempts };
    })
    .filter(({ attempts }) => attempts >= 20)
    .sort((one, other) => other.rate - one.rate);
  const [best, worst] = [rated[0], rated.at(-1)];
  if (best === undefined || worst === undefined || best.rate === worst.rate) return [];
  return [line(...[best, worst].flatMap(({ day, rate }) => [dayText(days, day), rates.format(rate)]))];
}

/** The week from Monday and the month, up to the day, over the days that are loaded. */
function toDateLines({ accounts, days, since, period: { every, last } }: Facts): string[] {
  if (every !== 'day') return [];
  const { dayOfWeek, day } = dateIn(days, last);
  const starts = [last + 1 - dayOfWeek, last + 1 - day].filter((first) => first < last);
  return starts.map((first) => {
    const all = daysOf({ first, last });
    const loadedOn = (day: number) => accounts.filter(({ account }) => days.isLoaded(account, day));
    const isLacking = (day: number) =>
      accounts.some(({ account }) => day >= since(account) && !days.isLoaded(account, day));
    const isProvisional = (day: number) =>
      loadedOn(day).some(({ account }) => !days.isConfirmed(account, day));
    const loaded = all.filter((day) => loadedOn(day).length > 0);
    const rows = loaded.flatMap((day) =>
      loadedOn(day).flatMap(({ account }) => days.rowsOf(account, { first: day, last: day })),
    );
    const incomplete = loaded.filter(isLacking).length;
    const provisional = loaded.filter((day) => !isLacking(day) && isProvisional(day)).length;
    return line(
      loaded.length === 0 ? null : sumOf(rows, 'attempts'),
      rateText(rateOf(rows, 'connects')),
      dayText(days, first),
      dayText(days, last),
      ...(loaded.length === all.length ? [] : [loaded.length, all.length]),
      ...(incomplete === 0 ? [] : [incomplete, 'incomplete']),
      ...(provisional === 0 ? [] : [provisional, 'provisional']),
    );
  });
}

const callingDays = (rows: readonly Row[]) =>
  new Set(rows.filter(({ attempts }) => (attempts ?? 0) > 0).map(({ day }) => day)).size;

/** The campaigns or accounts that make up the change, and the rest: the rows add up to it. */
function moverLines({ accounts, period, days }: Facts, comparison: Comparison | null): string[] {
  const found = comparison === null ? null : explained(comparison);
  if (comparison === null || found === null) return [];
  const { attempts, connectRate } = comparison.total;
  const hasEffects = movedOf(comparison.total).includes('rate');
  const rounded = found.rows.map((mover) => ({
    name: found.by === 'accounts' ? mover.account : nameOf(mover.campaign, mover.account, accounts),
    now: Math.round(mover.now),
    typical: Math.round(mover.typical),
    tenths: Math.round(1_000 * mover.effect),
  }));
  const left = (of: 'now' | 'typical' | 'tenths', all: number) =>
    Math.round(all) - total(rounded.map((each) => each[of]));
  const rest = {
    name: String(found.others),
    now: left('now', attempts?.now ?? 0),
    typical: left('typical', attempts?.reference ?? 0),
    tenths: left('tenths', connectRate === null ? 0 : 1_000 * (connectRate.now - connectRate.reference)),
  };
  const [only] = accounts.length === 1 && period.every === 'month' ? accounts : [];
  const pair = only === undefined ? null : typicalOf(days, only.account, period);
  return [
    pair === null ? '' : line(callingDays(pair.now), callingDays(pair.before[0]!.rows)),
    ...[...rounded, ...(found.others === 0 ? [] : [rest])].map(({ name, now, typical, tenths }) =>
      line(
        typical,
        now,
        now === typical ? '' : differences.format(now - typical),
        hasEffects && tenths !== 0 ? points10.format(tenths / 10) : '',
        name,
      ),
    ),
  ];
}

/** The accounts, each with its own change; of many, the five that moved most. */
function accountLines(facts: Facts, comparison: Comparison | null): string[] {
  const { accounts, days, period } = facts;
  if (accounts.length < 2) return [];
  const moved = ({ account, rows }: AccountState) => {
    if (comparison === null) return sumOf(rows, 'attempts') ?? 0;
    const change = comparison.ofAccount(account)?.attempts;
    return change ? Math.abs(change.now - change.reference) : 0;
  };
  const isMany = accounts.length > 10;
  const sorted = isMany ? accounts.toSorted((one, other) => moved(other) - moved(one)) : accounts;
  const shown = isMany ? sorted.slice(0, 5) : sorted;
  const rest = sorted.slice(shown.length);
  return [
    ...(comparison === null ? [] : ['']),
    ...shown.map((each) => {
      if (!each.hasFigures) return line(null, null, null, null, each.account, 'not loaded');
      const changes = comparison?.ofAccount(each.account);
      const pair = changes ? typicalOf(days, each.account, period) : null;
      const why =
        pair === null
          ? [whyLeftOut(facts, each.account)]
          : period.every === 'month'
            ? [callingDays(pair.now), callingDays(pair.before[0]!.rows)]
            : [];
      const [attempts, rate, ...others] = figuresOf(each.rows);
      return line(
        attempts!,
        changes?.attempts ? besideText(changes.attempts) : '',
        rate!,
        points(changes?.connectRate ?? null) ?? '',
        ...others,
        each.account,
        ...why,
      );
    }),
    ...(rest.length === 0 ? [] : [line(...figuresOfAccounts(rest), rest.length)]),
  ];
}

/** Attempts and the three rates. */
const figuresOf = (rows: readonly Row[]): string[] => [
  count(sumOf(rows, 'attempts')),
  ...(['connects', 'liveAnswers', 'busies'] as const).map((name) => rateText(rateOf(rows, name))),
];

function figuresOfAccounts(accounts: readonly AccountState[]): string[] {
  const known = accounts.filter(({ hasFigures }) => hasFigures);
  return known.length === 0 ? ['–', '–', '–', '–'] : figuresOf(known.flatMap(({ rows }) => rows));
}

/** The ten largest of more campaigns, and the highest and lowest rates; else all campaigns of a single account. */
function campaignParts({ accounts, period }: Facts, rows: readonly Row[]): Part[] {
  const isMany = accounts.length > 1;
  const isTopTen = campaignsOf(rows).length > 10;
  const lines = (some: ReturnType<typeof topCampaigns>) =>
    some.map(({ account, rows }) =>
      line(...figuresOf(rows).slice(0, isMany ? 2 : 4), nameOf(newestName(rows), account, accounts)),
    );
  return [
    {
      kind: 'campaigns',
      lines: accounts.length <= 10 && (isTopTen || !isMany) ? lines(topCampaigns(rows)) : [],
    },
    { kind: 'extreme rates', lines: isTopTen && period.every !== 'day' ? lines(extremeRates(rows)) : [] },
  ];
}

/** A campaign's name as far as a phone shows it. */
function shortName(campaign: string): string {
  const letters = [...new Intl.Segmenter('en').segment(campaign)].map(({ segment }) => segment);
  return letters.length > 40 ? `${letters.slice(0, 39).join('')}…` : campaign;
}

/** With its account if there are several. */
const nameOf = (campaign: string, account: string, accounts: readonly AccountState[]) =>
  line(shortName(campaign), accounts.length > 1 ? account : '');

function correctedLines({ accounts }: Facts, before: readonly AccountState[]): string[] {
  const lines = accounts.flatMap(({ account, rows, hasFigures }) => {
    const mailed = before.find((each) => each.account === account);
    if (!hasFigures) return [];
    if (!mailed?.hasFigures)
      return line(account, 'not loaded', ...countNames.map((name) => sumOf(rows, name) ?? ''));
    const change = changedCounts(countsOf(mailed.rows), countsOf(rows));
    return change === '' ? [] : line(account, change);
  });
  return ['corrected', ...(lines.length === 0 ? [''] : shortened(lines))];
}

function incompleteLines({ accounts, days }: Facts, lacking: readonly AccountState[]): string[] {
  if (lacking.length === 0) return [];
  const groups = Map.groupBy(lacking, (each) =>
    line(each.hasFigures ? daysText(each.lacking, days) : '', 'not loaded'),
  );
  const lines = [...groups].map(([lack, some]) => line(...namesOf(some), lack));
  if (!accounts.some(({ hasFigures }) => hasFigures)) return ['incomplete', ...lines, 'corrected'];
  if (lines.length === 1) return [line('incomplete', lines[0]!), 'corrected'];
  return [line('incomplete', lacking.length, 'incomplete'), ...lines, 'corrected'];
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

/** Accounts with the same reasons share a line. */
function provisionalLines(
  { period: { every }, days }: Facts,
  provisional: readonly AccountState[],
  lacking: readonly AccountState[],
): string[] {
  if (provisional.length === 0) return [];
  const on = ({ provisional }: AccountState) =>
    every === 'day'
      ? ''
      : daysText(
          provisional.map(({ day }) => day),
          days,
        );
  const why = ({ provisional }: AccountState) =>
    new Map(provisional.flatMap(({ anomalies }) => anomalies.map((each) => [JSON.stringify(each), each])));
  const groups = Map.groupBy(provisional, (each) => line(on(each), ...why(each).keys()));
  const lines = shortened(
    [...groups.values()].map((some) =>
      line(...namesOf(some), on(some[0]!), ...why(some[0]!).values().map(anomalyText)),
    ),
  );
  const promised = lacking.length > 0 ? [] : ['corrected'];
  if (lines.length === 1) return [line('provisional', lines[0]!), ...promised];
  return [line('provisional', provisional.length), ...lines, ...promised];
}

/** Of the announced campaigns, so many are missing. */
const anomalyText = (anomaly: Anomaly) =>
  anomaly.code === 'announced' ? line(anomaly.announced - anomaly.listed, anomaly.announced) : '';

/** The confirmed corrections that move a sum by a hundredth: the newest three, and how many others. */
function movedLines(earlier: readonly EarlierPeriod[], days: Days): string[] {
  const lines = earlier.flatMap(({ period, accounts, before }) => {
    const isConfirmed = accounts.every(
      ({ hasFigures, lacking, provisional }) => hasFigures && lacking.length + provisional.length === 0,
    );
    if (before === undefined || !isConfirmed) return [];
    const wasLoaded = before.some(({ hasFigures }) => hasFigures);
    const sum = (some: readonly AccountState[], name: CountName) =>
      sumOf(
        some.flatMap(({ rows }) => rows),
        name,
      );
    for (const name of ['attempts', 'connects'] as const) {
      const [now, then] = [sum(accounts, name), sum(before, name)];
      if (now === null || (wasLoaded && then === null)) continue;
      if (!wasLoaded) return line('corrected', shortTitle(period, days), now);
      if (Math.abs(now - then!) < Math.max(1, 0.01 * then!)) continue;
      return line('corrected', shortTitle(period, days), now, then);
    }
    return [];
  });
  const others = lines.length - 3;
  return [...lines.slice(-3).toReversed(), ...(others <= 0 ? [] : [line('corrected', others)])];
}

/** Its figures, from → to if they were mailed before, and what it lacks. At most ten, and the sum of the older ones. */
function earlierLines(earlier: readonly EarlierPeriod[], days: Days): string[] {
  const changed = (before: readonly AccountState[], accounts: readonly AccountState[]) => {
    const then = figuresOfAccounts(before);
    return figuresOfAccounts(accounts)
      .slice(0, 2)
      .flatMap((figure, index) => (figure === then[index] ? [figure] : [then[index]!, figure]));
  };
  const rest = earlier.slice(0, -10);
  const others = changed(
    rest.flatMap(({ before, accounts }) => before ?? accounts),
    rest.flatMap(({ accounts }) => accounts),
  );
  return [
    ...(rest.length === 0 ? [] : [line(...others, rest.length)]),
    ...earlier.slice(-10).map(({ period, accounts, before }) => {
      const isLacking = accounts.some(({ lacking }) => lacking.length > 0);
      const marks = [
        ...(before === undefined ? [] : ['corrected', ...correctedMark(before, accounts)]),
        isLacking ? 'incomplete' : '',
        accounts.some(({ provisional, lacking }) => provisional.length > 0 && lacking.length === 0)
          ? 'provisional'
          : '',
      ];
      const isLoaded = accounts.some(({ hasFigures }) => hasFigures);
      return line(
        ...changed(before ?? accounts, accounts),
        shortTitle(period, days),
        ...(isLoaded ? marks : ['not loaded']),
      );
    }),
  ];
}

/** Which accounts changed, if not all; and what changed, if the attempts didn't. */
function correctedMark(before: readonly AccountState[], accounts: readonly AccountState[]): string[] {
  const changed = accounts.filter(
    ({ account, content }) => before.find((each) => each.account === account)!.content !== content,
  );
  const sums = (some: readonly AccountState[]) => countsOf(some.flatMap(({ rows }) => rows));
  const [then, now] = [sums(before), sums(accounts)];
  return [
    ...(changed.length === accounts.length ? [] : shortened(changed.map(({ account }) => account))),
    then.attempts === now.attempts ? changedCounts(then, now) : '',
  ];
}

/** What is new since the last digest, the most serious first: five lines under their titles, and how many others. */
function attentionLines({ news, before, days }: Facts): string[] {
  const items = (title: string, lines: readonly string[]) => lines.map((text) => ({ title, text }));
  const accounts = (title: string, names: readonly string[]) =>
    items(title, names.length === 0 ? [] : [line(...shortened(names))]);
  const clients = (title: string, all: readonly ClientNews[]) =>
    items(
      title,
      all.map(({ account, names }) =>
        line(account, ...(names.length > 5 ? [...names.slice(0, 5), names.length - 5] : names)),
      ),
    );
  const all = [
    ...items(
      'held',
      news.held.map(({ account, day }) => line(account, dayText(days, day))),
    ),
    // A correction is about its period, not about who is there today.
    ...(before === undefined ? [...accounts('joined', news.joined), ...accounts('left', news.left)] : []),
    ...clients('vanished', news.vanished),
    ...clients('appeared', news.appeared),
  ];
  const groups = [...Map.groupBy(all.slice(0, 5), ({ title }) => title).values()];
  return [
    ...groups.flatMap((own) => ['', ...own.map(({ text }) => text)]),
    ...(all.length <= 5 ? [] : [line(all.length - 5), '']),
  ];
}

/** One line of what merely stands: days held, what is the way of each service, what isn't reported, low balances. */
function ongoingLines(
  { accounts, news: { stillHeld, lowBalances } }: Facts,
  known: readonly AccountState[],
): string[] {
  const name = (account: string) => (accounts.length === 1 ? '' : account);
  const usual = known.flatMap((each) =>
    [...new Map(each.usual.map((anomaly) => [anomaly.code, anomaly]))]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, anomaly]) => line(name(each.account), anomalyText(anomaly))),
  );
  const unreported = known.flatMap(({ account, rows }) => {
    const campaigns = campaignsOf(rows);
    const counts = countNames
      .map((count) => campaigns.filter((each) => each.rows.some((row) => row[count] === null)).length)
      .filter((silent) => silent > 0);
    return counts.length === 0
      ? []
      : [line(name(account), ...counts.flatMap((silent) => [silent, campaigns.length]))];
  });
  if (stillHeld + usual.length + unreported.length + lowBalances === 0) return [];
  return [
    line(
      stillHeld === 0 ? '' : stillHeld,
      ...shortened(usual),
      ...shortened(unreported),
      ...(lowBalances === 0 ? [] : [lowBalances, '25.00']),
    ),
  ];
}

const countsOf = (rows: readonly Row[]): Counts => ({
  attempts: sumOf(rows, 'attempts'),
  busies: sumOf(rows, 'busies'),
  connects: sumOf(rows, 'connects'),
  liveAnswers: sumOf(rows, 'liveAnswers'),
});

/** What isn't reported has no number. */
const changedCounts = (from: Counts, to: Counts) =>
  line(
    ...countNames
      .filter((name) => from[name] !== to[name])
      .flatMap((name) => [from[name] ?? '', to[name] ?? '']),
  );

const count = (value: number | null) => (value === null ? '–' : String(value));
const shortened = (lines: readonly string[]) =>
  lines.length <= 6 ? lines : [...lines.slice(0, 5), String(lines.length - 5)];
const namesOf = (accounts: readonly AccountState[]) => shortened(accounts.map(({ account }) => account));
const daysText = (some: readonly number[], days: Days) =>
  some.length > 3 ? count(some.length) : line(...some.map((day) => dayText(days, day)));

const rounded = (options: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat('en', { useGrouping: false, ...options });
const oneDigit = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
const percents = rounded({ style: 'percent', signDisplay: 'exceptZero' });
const percentRates = rounded({ style: 'percent', ...oneDigit });
const rates = { format: (rate: number) => percentRates.format(rate).slice(0, -1) };
const points10 = rounded({ signDisplay: 'exceptZero', ...oneDigit });
const differences = rounded({ signDisplay: 'exceptZero', maximumFractionDigits: 0 });

const rateText = (rate: Rate | null) =>
  rate === null || rate.attempts === 0 ? '–' : rates.format(rate.part / rate.attempts);

/** '' for no change; null for a base under 20, or above 300%: nobody understands such a percentage. */
function percent({ now, reference }: Change): string | null {
  if (Math.round(now) === Math.round(reference)) return '';
  if (reference < 20 || now / reference - 1 > 3) return null;
  const text = percents.format(now / reference - 1).slice(0, -1);
  return text === '0' ? '' : text;
}

/** A change beside its figure. */
const besideText = (change: Change) => percent(change) ?? count(Math.round(change.reference));

/** '' for no change. */
function pointsText({ now, reference }: RateChange): string {
  const text = points10.format((now - reference) * 100);
  return text === '0.0' ? '' : text;
}

/** Null for rates of fewer than 20 attempts, which differ by chance. */
const points = (change: RateChange | null) =>
  change === null || Math.min(change.attempts.now, change.attempts.reference) < 20
    ? null
    : pointsText(change);
