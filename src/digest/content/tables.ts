import type { DigestFigures, TopCampaign } from '../../model/digest.ts';
import { capitalize } from '../../support/english.ts';
import { displayName, type Exact, type Format } from '../format.ts';
import { withPeriodBefore, withTypicalWeekday } from './comparison.ts';
import type { Row, Table } from './content.ts';
import { periodWords } from './period-words.ts';
import { type ChartDay, type DayTotals, exactSums, hasFigures, lastDays, ratesOf, sumUp } from './totals.ts';

export function campaignTable({ topCampaigns, accounts }: DigestFigures, format: Format): Table | null {
  const { tables } = format.words;
  return figureTable(
    topCampaigns.length === 10 ? tables.topTen : tables.mostAttempts,
    topCampaigns,
    accounts.length > 1,
    format,
  );
}

/** The campaigns with the lowest connect rates; null if the table of most attempts has all campaigns. */
export function lowestRatesTable(
  { lowestRates, topCampaigns, accounts }: DigestFigures,
  format: Format,
): Table | null {
  if (topCampaigns.length < 10 || sumUp(accounts).campaigns === 10) return null;
  return figureTable(format.words.tables.lowestRates, lowestRates, accounts.length > 1, format);
}

function figureTable(
  heading: string,
  campaigns: readonly TopCampaign[],
  manyAccounts: boolean,
  format: Format,
): Table | null {
  if (campaigns.length === 0) return null;
  return {
    heading,
    note: null,
    columns: [format.words.tables.columns.campaign, ...figureColumns(format)],
    rows: campaigns.map((campaign) => ({
      ...nameOf(campaign, manyAccounts),
      cells: figureCells(campaign.attempts, ratesOf([campaign]), format),
    })),
  };
}

function nameOf(
  { campaign, callsetId, label }: Pick<TopCampaign, 'campaign' | 'callsetId' | 'label'>,
  manyAccounts: boolean,
): Pick<Row, 'title' | 'under'> {
  return { title: displayName(campaign, `#${callsetId}`), under: manyAccounts ? displayName(label) : null };
}

export function moversTable({ movers, accounts, day }: DigestFigures, format: Format): Table | null {
  if (movers.length === 0) return null;
  const { tables, vsTypical, insight } = format.words;
  const { campaign, attempts, typical, change } = tables.columns;
  return {
    heading: tables.movers,
    note: `${attempts} ${vsTypical(format.longWeekday(day))}`,
    columns: [campaign, attempts, typical, change],
    rows: movers.map((mover) => ({
      ...nameOf(mover, accounts.length > 1),
      cells: [
        format.count(mover.attempts),
        format.count(Math.round(mover.typical)),
        mover.typical === 0 ? insight.new : format.change({ now: mover.attempts, reference: mover.typical }),
      ],
    })),
  };
}

/** The accounts, each compared with its typical weekday, else with the period before; null if there is only one. */
export function accountTable(figures: DigestFigures, format: Format): Table | null {
  const { accounts } = figures;
  if (accounts.length < 2) return null;
  const { tables, notLoaded, campaigns } = format.words;
  const columns = figureColumns(format);
  const { compare, note } = basis(figures, format);
  return {
    heading: tables.accounts,
    note,
    columns: [tables.columns.account, ...columns],
    rows: accounts.map((account): Row => {
      const title = displayName(account.label, account.account);
      if (!hasFigures(account)) return { title, under: notLoaded, cells: columns.map(() => '–') };
      const compared = compare({ ...figures, accounts: [account] });
      const [attempts, connectRate] = [compared?.changes.attempts ?? null, compared?.connectRate ?? null];
      return {
        title,
        under: format.countOf(account.campaigns, campaigns),
        cells: figureCells(exactSums(account).attempts, ratesOf([account]), format),
        changes: [
          attempts === null ? null : format.change(attempts),
          connectRate === null ? null : format.points(connectRate),
        ],
      };
    }),
  };
}

/** The comparison for all accounts, and its note: a typical weekday if one has it, else the period before. */
function basis(figures: DigestFigures, format: Format) {
  const { words } = format;
  if (withTypicalWeekday(figures) !== null)
    return {
      compare: withTypicalWeekday,
      note: capitalize(words.vsTypical(format.longWeekday(figures.day))),
    };
  if (withPeriodBefore(figures) !== null)
    return { compare: withPeriodBefore, note: capitalize(periodWords(figures.period, format).vsBefore) };
  return { compare: withPeriodBefore, note: null };
}

/** The days of the chart; null if fewer than three are loaded, too few to compare. */
export function lastDaysTable(figures: DigestFigures, format: Format): Table | null {
  const days = lastDays(figures);
  if (days.filter(({ sums }) => sums !== null).length < 3) return null;
  const { columns } = format.words.tables;
  return {
    heading: periodWords(figures.period, format).chart(days.length),
    note: null,
    columns: [columns.day, columns.attempts, columns.connects, columns.connected],
    rows: days.map((each) => ({
      title: format.day(each.day),
      under: lackOf(each, format),
      cells: [
        format.count(each.sums?.attempts ?? null),
        format.count(each.sums?.connects ?? null),
        format.rate(each.connectRate),
      ],
    })),
  };
}

function lackOf({ sums, incomplete }: ChartDay, { words }: Format): string | null {
  if (sums === null) return words.notLoaded;
  return incomplete ? words.incompleteDay : null;
}

function figureColumns({ words }: Format) {
  const { attempts, connected, live } = words.tables.columns;
  return [attempts, connected, live] as const;
}

function figureCells(
  attempts: Exact | null,
  { connects, liveAnswers }: DayTotals['rates'],
  format: Format,
): string[] {
  return [format.count(attempts), format.rate(connects), format.rate(liveAnswers)];
}
