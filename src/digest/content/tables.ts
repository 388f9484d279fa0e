import type { EarlierPeriod, PeriodFigures } from '../../model/digest.ts';
import { daysOf } from '../../model/period.ts';
import type { Block, Row, Table } from '../blocks.ts';
import { displayName, type Format, maxTitleLength } from '../format.ts';
import { countChangeText, whyLeftOut } from './comparison.ts';
import { type FigureRow, maxRows, type RestRow } from './explanation.ts';
import type { Facts } from './facts.ts';
import { campaignText, whyText } from './insight.ts';
import { changedAccounts } from './notes.ts';
import { periodWords } from './period-words.ts';
import { sumOfPeriod } from './totals.ts';

const tableOf = (table: Table): Block[] => [{ kind: 'table', table }];

/** Days without calls are named in a line. */
const isWithoutCalls = ({ accounts, before }: EarlierPeriod) =>
  before === null && accounts.every(({ state, attempts }) => state === 'whole' && attempts === 0n);

/** All other news: periods that are mailed for the first time, and others from → to. The oldest of many are summed up. */
export function earlierBlocks({ earlier }: Facts, format: Format): Block[] {
  const { tables, more, empty } = format.words;
  const silent = earlier.filter(isWithoutCalls).map(({ period }) => periodWords(period, format).short);
  const line: Block[] =
    silent.length === 0 ? [] : [{ kind: 'line', tone: 'quiet', text: empty.on(format.list(silent)) }];
  const news = earlier.filter((each) => !isWithoutCalls(each));
  if (news.length === 0) return line;
  const rest = news.slice(0, -maxRows);
  const others: Row = {
    title: more(format.count(rest.length)),
    under: null,
    cells: changedCells(
      rest.flatMap(({ accounts, before }) => before ?? accounts),
      rest.flatMap(({ accounts }) => accounts),
      format,
    ),
  };
  const table = tableOf({
    heading: tables.earlier,
    columns: [tables.columns.period, tables.columns.attempts, tables.columns.connected],
    rows: [
      ...(rest.length > 0 ? [others] : []),
      ...news.slice(-maxRows).map((each) => earlierRow(each, format)),
    ],
    titles: 'whole',
  });
  return [...table, ...line];
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
  const [then, now] = [sumOfPeriod(before), sumOfPeriod(accounts)];
  const isShown = then.attempts !== now.attempts;
  const details = [
    ...changedAccounts(accounts, before, format),
    ...(isShown ? [] : [format.countChanges(then, now) || words.sameTotals]),
  ];
  return details.length === 0 ? words.corrected : `${words.corrected}: ${details.join(', ')}`;
}

/** The week and the month up to the day of a daily digest, and which of their days lack something. */
export function toDateLine({ toDate, day }: Facts, format: Format): Block[] {
  if (toDate.length === 0) return [];
  const { words } = format;
  const count = (days: number) => format.countOf(days, words.days);
  const parts = toDate.map((each, index) => {
    const all = daysOf({ from: each.from, to: day }).length;
    const loaded = new Set(each.loadedDays);
    const lacking = new Set(each.lackingDays).intersection(loaded);
    const provisional = new Set(each.provisionalDays.map(({ day }) => day)).difference(lacking);
    const marks = [
      ...(loaded.size === all ? [] : [words.overDays(format.count(loaded.size), count(all))]),
      ...(lacking.size === 0 ? [] : [words.lackingDays(count(lacking.size))]),
      ...(provisional.size === 0 ? [] : [words.provisionalDays(count(provisional.size))]),
    ];
    const [attempts, connected] = [format.count(each.attempts), format.rate(each.rates.connects)];
    // The units stand once.
    const figures = index === 0 ? words.insight.figures(attempts, connected) : `${attempts}, ${connected}`;
    return `${words.toDate[each.every]}: ${figures}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`;
  });
  return [{ kind: 'line', tone: 'quiet', text: `${parts.join('. ')}.` }];
}

/** Of few accounts each, and the campaigns; of many accounts these, each with the campaign that explains its change. */
export function figureTables(facts: Facts, format: Format): Block[] {
  const { accounts, comparison, explanation } = facts;
  const { table } = explanation;
  const { tables } = format.words;
  const { columns } = tables;
  const isByAccount = accounts.length > maxRows;
  const isCounted = comparison !== null && comparison.total.counts.attempts !== null;
  const moved = [...explanation.moved, ...explanation.large];
  const hasEffects = moved.includes('rate');
  // Names with an account next to them need the space.
  const hasMore = accounts.length === 1 && !hasEffects;
  const cellsOf = ({ attempts, rates, shown }: RestRow) => [
    format.count(attempts),
    ...(isCounted ? [shown === null ? '' : format.difference(shown.attempts)] : []),
    format.rate(rates.connects),
    ...(hasEffects ? [shown === null ? '' : format.tenths(shown.rate)] : []),
    ...(hasMore ? [rates.liveAnswers, rates.busies].map(format.rate) : []),
  ];
  const byAccount = accounts.length === 1 || isByAccount ? [] : accountTable(facts, format);
  if (table.rows.length === 0) return byAccount;
  const campaignsOrAccounts: Table = {
    heading: moved.length > 0 ? tables.movers : isByAccount ? tables.accounts : tables.campaigns,
    columns: [
      isByAccount ? columns.account : columns.campaign,
      columns.attempts,
      ...(isCounted ? [columns.change] : []),
      columns.connected,
      ...(hasEffects ? [columns.effect] : []),
      ...(hasMore ? [columns.live, columns.busy] : []),
    ],
    rows: [
      ...table.rows.map((row) => ({
        title: displayName(row.name, '', maxTitleLength[isByAccount ? 'account' : 'campaign']),
        under: underOf(row, facts, format),
        cells: cellsOf(row),
      })),
      ...table.rest.map((rest) => ({
        title: comparison !== null && rest.shown === null ? tables.othersLeftOut : tables.others,
        under: null,
        cells: cellsOf(rest),
      })),
    ],
    titles: isByAccount ? 'whole' : 'cut',
    wideColumns: hasMore ? 2 : hasEffects ? 1 : 0,
  };
  return [...byAccount, ...tableOf(campaignsOrAccounts)];
}

/** Its account, since when it calls or doesn't, and of an account why it isn't compared, or what changed in it. */
function underOf(row: FigureRow, { accounts, period }: Facts, format: Format): string | null {
  const account = accounts.find(({ account }) => account === row.id);
  const parts = [
    whyText(row, format),
    row.label,
    row.shown === null && account !== undefined ? whyLeftOut(account, period.to, format) : null,
    row.campaign && campaignText(row.campaign, format),
  ];
  return parts.filter((each) => each !== null).join(', ') || null;
}

/** Each of a few accounts, with its change. */
function accountTable({ accounts, comparison, period }: Facts, format: Format): Block[] {
  const { columns } = format.words.tables;
  const heads = [columns.connected, columns.live, columns.busy];
  return tableOf({
    heading: format.words.tables.accounts,
    columns: [columns.account, columns.attempts, ...(comparison === null ? [] : [columns.change]), ...heads],
    rows: accounts.map((account) => {
      const { account: name, label, attempts, rates } = account;
      const changes = comparison?.accounts.get(name);
      const change = countChangeText(changes?.counts.attempts ?? null, period, format) ?? '';
      return {
        title: displayName(label, name, maxTitleLength.account),
        under: changes === undefined ? whyLeftOut(account, period.to, format) : null,
        cells: [
          format.count(attempts),
          ...(comparison === null ? [] : [change]),
          ...[rates.connects, rates.liveAnswers, rates.busies].map(format.rate),
        ],
      };
    }),
    titles: 'whole',
    wideColumns: 2,
  });
}
