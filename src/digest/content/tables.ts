import type { AccountTotals, EarlierPeriod, PeriodFigures, ToDate, TopCampaign } from '../../model/digest.ts';
import { daysOf } from '../../model/period.ts';
import { capitalize } from '../../support/english.ts';
import type { Block, Row, Table } from '../blocks.ts';
import { displayName, displayServiceName, type Format, maxTitleLength } from '../format.ts';
import { rateChangeText, whyLeftOut } from './comparison.ts';
import type { Facts } from './facts.ts';
import { ownRates, whyText } from './insight.ts';
import { type Moved, totalEffect } from './movers.ts';
import { maxNames } from './notes.ts';
import { changeOf, periodWords } from './period-words.ts';
import { hasFigures, type Rates, sumOfPeriod, sumUp } from './totals.ts';

/** Accounts and campaigns in a table; further ones are counted. */
const maxRows = 10;

const tableOf = (table: Table): Block[] => [{ kind: 'table', table }];

/** All other news: periods that are mailed for the first time, and others from → to. The oldest of many are summed up. */
export function earlierTable({ earlier }: Facts, format: Format): Block[] {
  if (earlier.length === 0) return [];
  const { tables, more } = format.words;
  const shown = earlier.slice(-maxRows);
  const rest = earlier.slice(0, -maxRows);
  const others: Row = {
    title: more(format.count(rest.length)),
    under: null,
    cells: changedCells(
      rest.flatMap(({ accounts, before }) => before ?? accounts),
      rest.flatMap(({ accounts }) => accounts),
      format,
    ),
  };
  return tableOf({
    heading: tables.earlier,
    note: null,
    columns: [tables.columns.period, tables.columns.attempts, tables.columns.connected],
    rows: [...(rest.length > 0 ? [others] : []), ...shown.map((each) => earlierRow(each, format))],
    titles: 'whole',
  });
}

/** Attempts and connect rate, from → to if they differ. */
function changedCells(
  before: readonly PeriodFigures[],
  now: readonly PeriodFigures[],
  format: Format,
): string[] {
  const figuresOf = (accounts: readonly PeriodFigures[]) => {
    const { attempts, connectRate } = sumOfPeriod(accounts);
    return [format.count(attempts), format.rate(connectRate)];
  };
  const mailed = figuresOf(before);
  return figuresOf(now).map((figure, column) =>
    mailed[column] === figure ? figure : `${mailed[column]} → ${figure}`,
  );
}

/** A row of an earlier period: its accounts, and whether its figures are corrected or lack something. */
function earlierRow({ period, accounts, before }: EarlierPeriod, format: Format): Row {
  const { words } = format;
  const has = (state: PeriodFigures['state']) => accounts.some((account) => account.state === state);
  const marks = accounts.every(({ state }) => state === 'absent')
    ? [words.notLoaded]
    : [
        ...(before === null ? [] : [correctedMark(accounts, before, format)]),
        ...(has('incomplete') || has('absent') ? [words.incompleteDay] : []),
        ...(has('provisional') ? [words.provisionalDay] : []),
      ];
  return {
    title: periodWords(period, format).short,
    under: marks.join(', ') || null,
    cells: changedCells(before ?? accounts, accounts, format),
  };
}

/** `corrected`; `corrected: Coast, connects 12 → 14`: the accounts, if not all changed, and what the cells don't show. */
function correctedMark(
  accounts: readonly PeriodFigures[],
  before: readonly PeriodFigures[],
  format: Format,
): string {
  const { words } = format;
  const mailed = new Map(before.map((each) => [each.account, each]));
  const changed = accounts.filter(({ account, content }) => mailed.get(account)!.content !== content);
  const names = changed.map(({ label, account }) => displayName(label, account));
  const [then, now] = [sumOfPeriod(before), sumOfPeriod(accounts)];
  const isShown = then.attempts !== now.attempts;
  const details = [
    ...(changed.length === accounts.length ? [] : format.shortened(names, maxNames)),
    ...(isShown ? [] : [format.countChanges(then, now) || words.sameTotals]),
  ];
  return details.length === 0 ? words.corrected : `${words.corrected}: ${details.join(', ')}`;
}

/** The week and the month up to the day of a daily digest. */
export function toDateTable({ toDate, day }: Facts, format: Format): Block[] {
  const { tables } = format.words;
  if (toDate.length === 0) return [];
  return tableOf({
    heading: tables.toDate,
    note: null,
    columns: [tables.columns.period, tables.columns.attempts, tables.columns.connected],
    rows: toDate.map((each) => ({
      title: each.every === 'week' ? tables.weekToDate : tables.monthToDate,
      under: [format.days(each.from, day), ...toDateMarks(each, day, format)].join(', '),
      cells: [format.count(each.attempts), format.rate(each.rates.connects)],
    })),
    titles: 'whole',
  });
}

/** Over how many days the sums are, if not all, and which of these lack something. */
function toDateMarks(
  { from, loadedDays, lackingDays, provisionalDays }: ToDate,
  to: string,
  format: Format,
): string[] {
  const { words } = format;
  const all = daysOf({ from, to }).length;
  const loaded = new Set(loadedDays);
  const lacking = new Set(lackingDays).intersection(loaded);
  const provisional = new Set(provisionalDays.map(({ day }) => day)).difference(lacking);
  const count = (days: number) => format.countOf(days, words.days);
  return [
    ...(loaded.size === all ? [] : [words.overDays(format.count(loaded.size), count(all))]),
    ...(lacking.size === 0 ? [] : [words.lackingDays(count(lacking.size))]),
    ...(provisional.size === 0 ? [] : [words.provisionalDays(count(provisional.size))]),
  ];
}

/** The campaigns or accounts that make up the change of the total, and the rest: their rows add up to it. */
export function moversTable(facts: Facts, format: Format): Block[] {
  const { explanation, comparison, period, accounts } = facts;
  if (explanation === null || explanation.rows.length === 0) return [];
  const days = accounts.length === 1 ? callingDays(accounts[0]!, facts, format) : null;
  const { tables, others } = format.words;
  const { columns } = tables;
  const { rows, by, moved } = explanation;
  const { counts, connectRate } = comparison!.total;
  const hasEffects = moved.includes('rate');
  const figures = rows.map((row) => ({
    typical: Math.round(row.attempts.typical),
    now: Math.round(row.attempts.now),
    tenths: Math.round(1_000 * totalEffect(row)),
  }));
  const sum = (of: keyof (typeof figures)[number]) => figures.reduce((total, each) => total + each[of], 0);
  const points = connectRate === null ? 0 : connectRate.now - connectRate.reference;
  const rest = {
    typical: Math.round(counts.attempts?.reference ?? 0) - sum('typical'),
    now: Math.round(counts.attempts?.now ?? 0) - sum('now'),
    tenths: Math.round(1_000 * points) - sum('tenths'),
  };
  const numbers = ({ typical, now, tenths }: typeof rest) => ({
    cells: [
      format.count(typical),
      format.count(now),
      ...(hasEffects ? [format.points({ now: tenths / 1_000, reference: 0 })] : []),
    ],
    changes: [null, typical === now ? null : format.difference(now - typical)],
  });
  return tableOf({
    heading: tables.movers,
    note: [capitalize(periodWords(period, format).vs), days].filter((each) => each !== null).join('; '),
    columns: [
      by === 'campaigns' ? columns.campaign : columns.account,
      period.every === 'day' ? columns.typical : columns.before,
      columns.attempts,
      ...(hasEffects ? [columns.effect] : []),
    ],
    rows: [
      ...rows.map((row, index) => ({
        title: displayName(row.name, '', maxTitleLength),
        under: underOf(row, hasEffects, format),
        ...numbers(figures[index]!),
      })),
      ...(explanation.others === 0
        ? []
        : [{ title: format.countOf(explanation.others, others), under: null, ...numbers(rest) }]),
    ],
    titles: 'cut',
  });
}

function underOf(row: Moved, hasEffects: boolean, format: Format): string | null {
  const rates = hasEffects ? ownRates(row.rate, format) : null;
  return [row.label, whyText(row, format), rates].filter((each) => each !== null).join(', ') || null;
}

/** `21 days with calls, 22 in October`, of an account's month; null if nothing is typical of it. */
function callingDays({ account }: AccountTotals, { typical, period }: Facts, format: Format): string | null {
  const days = typical.find((each) => each.account === account)?.callingDays;
  if (days == null) return null;
  const { basis } = periodWords(period, format);
  return format.words.callingDays(
    format.countOf(days.now, format.words.days),
    format.count(days.typical),
    basis,
  );
}

/** Accounts of many: a mail of forty fits two screens. */
const maxOfMany = 5;

/** The accounts with their changes; of many, the five that moved most. None if there is only one. */
export function accountTable(facts: Facts, format: Format): Block[] {
  const { accounts, comparison, period } = facts;
  if (accounts.length < 2) return [];
  const { tables, more } = format.words;
  const size = (account: AccountTotals) =>
    comparison === null ? Number(account.attempts ?? 0) : moved(account, facts);
  const sorted =
    accounts.length > maxRows ? accounts.toSorted((one, other) => size(other) - size(one)) : accounts;
  const shown = accounts.length > maxRows ? sorted.slice(0, maxOfMany) : sorted;
  const rest = sorted.slice(shown.length);
  const { attempts, rates } = sumUp(rest);
  const others: Row = {
    title: more(format.count(rest.length)),
    under: null,
    cells: figureCells(attempts, rates, format),
  };
  return tableOf({
    heading:
      rest.length === 0
        ? tables.accounts
        : comparison === null
          ? tables.largestAccounts
          : tables.movedAccounts,
    note: comparison === null ? null : capitalize(periodWords(period, format).vs),
    columns: [tables.columns.account, ...figureColumns(format)],
    rows: [
      ...shown.map((account) => accountRow(account, facts, format)),
      ...(rest.length > 0 ? [others] : []),
    ],
    titles: 'whole',
  });
}

function moved({ account }: AccountTotals, { comparison }: Facts): number {
  const attempts = comparison?.accounts.get(account)?.counts.attempts ?? null;
  return attempts === null ? 0 : Math.abs(attempts.now - attempts.reference);
}

function accountRow(account: AccountTotals, facts: Facts, format: Format): Row {
  const { words } = format;
  const { comparison } = facts;
  const title = displayName(account.label, account.account, maxTitleLength);
  const columns = figureColumns(format);
  if (!hasFigures(account)) return { title, under: words.notLoaded, cells: columns.map(() => '–') };
  const changes = comparison?.accounts.get(account.account);
  const attempts = changeOf(changes?.counts.attempts ?? null, facts.period, format);
  return {
    title,
    under:
      changes === undefined ? whyLeftOut(account, facts.day, format) : callingDays(account, facts, format),
    cells: figureCells(account.attempts, account.rates, format),
    changes: [attempts?.change ?? null, rateChangeText(changes?.connectRate ?? null, format)].map((change) =>
      change === words.noChange ? null : change,
    ),
  };
}

/** The campaigns with the most attempts: the top ten of more, or all of a single account. The CSV has those of many accounts. */
export function campaignTable({ topCampaigns, totals, accounts }: Facts, format: Format): Block[] {
  const { tables } = format.words;
  if (accounts.length > maxRows) return [];
  if (totals.campaigns > maxRows) return figureTable(tables.topTen, topCampaigns, accounts, format);
  return accounts.length > 1 ? [] : figureTable(tables.campaigns, topCampaigns, accounts, format);
}

/** The campaigns of a week or month with the highest and the lowest connect rates; none if few ran. */
export function extremeRatesTable({ extremeRates, totals, accounts }: Facts, format: Format): Block[] {
  if (totals.campaigns <= maxRows) return [];
  return figureTable(format.words.tables.extremeRates, extremeRates, accounts, format);
}

/** Live and busy only if no table of accounts has them: names need the space on a phone. */
function figureTable(
  heading: string,
  campaigns: readonly TopCampaign[],
  { length: accounts }: readonly AccountTotals[],
  format: Format,
): Block[] {
  if (campaigns.length === 0) return [];
  const columns = accounts > 1 ? 2 : 4;
  return tableOf({
    heading,
    note: null,
    columns: [format.words.tables.columns.campaign, ...figureColumns(format).slice(0, columns)],
    rows: campaigns.map((campaign) => ({
      ...nameOf(campaign, accounts > 1),
      cells: figureCells(campaign.attempts, campaign.rates, format).slice(0, columns),
    })),
    titles: 'cut',
  });
}

function nameOf(
  { campaign, callsetId, label }: Pick<TopCampaign, 'campaign' | 'callsetId' | 'label'>,
  manyAccounts: boolean,
): Pick<Row, 'title' | 'under'> {
  return {
    title: displayServiceName(campaign, `#${callsetId}`, maxTitleLength),
    under: manyAccounts ? displayName(label, '', maxTitleLength) : null,
  };
}

function figureColumns({ words }: Format) {
  const { attempts, connected, live, busy } = words.tables.columns;
  return [attempts, connected, live, busy] as const;
}

const figureCells = (
  attempts: bigint | null,
  { connects, liveAnswers, busies }: Rates,
  format: Format,
): string[] => [format.count(attempts), format.rate(connects), format.rate(liveAnswers), format.rate(busies)];
