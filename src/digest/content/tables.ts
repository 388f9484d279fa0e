import type { AccountTotals, TopCampaign } from '../../model/digest.ts';
import { capitalize } from '../../support/english.ts';
import { displayName, type Format, maxTitleLength } from '../format.ts';
import { rateChangeText } from './comparison.ts';
import type { Row, Table } from './content.ts';
import type { Facts } from './facts.ts';
import { periodWords } from './period-words.ts';
import { type ChartDay, hasFigures, type Rates, ratesOf, sumUp } from './totals.ts';

/** Accounts and campaigns in a table; further ones are counted. */
const maxRows = 10;

/** The campaigns that moved most, each with what is typical of it. */
export function moversTable({ movers, accounts, period }: Facts, format: Format): Table | null {
  if (movers.length === 0) return null;
  const { tables, insight } = format.words;
  const { campaign, attempts, typical, before } = tables.columns;
  return {
    heading: tables.movers,
    note: `${attempts} ${periodWords(period, format).vs}`,
    columns: [campaign, period.every === 'day' ? typical : before, attempts],
    rows: movers.map((mover) => ({
      ...nameOf(mover, accounts.length > 1),
      cells: [format.count(Math.round(mover.typical)), format.count(Math.round(mover.attempts))],
      changes: [
        null,
        mover.typical === 0 ? insight.new : format.percent({ now: mover.attempts, reference: mover.typical }),
      ],
    })),
  };
}

/** The accounts with their changes; of many, the ten that moved most. Null if there is only one. */
export function accountTable(facts: Facts, format: Format): Table | null {
  const { accounts, comparison, period } = facts;
  if (accounts.length < 2) return null;
  const { tables, more } = format.words;
  const sorted =
    accounts.length > maxRows
      ? accounts.toSorted((one, other) => moved(other, facts) - moved(one, facts))
      : accounts;
  const [shown, rest] = [sorted.slice(0, maxRows), sorted.slice(maxRows)];
  const { attempts, rates } = sumUp(rest);
  const others: Row = {
    title: more(format.count(rest.length)),
    under: null,
    cells: figureCells(attempts, rates, format),
  };
  return {
    heading: rest.length > 0 ? tables.movedAccounts : tables.accounts,
    note: comparison === null ? null : capitalize(periodWords(period, format).vs),
    columns: [tables.columns.account, ...figureColumns(format)],
    rows: [
      ...shown.map((account) => accountRow(account, facts, format)),
      ...(rest.length > 0 ? [others] : []),
    ],
  };
}

function moved({ account }: AccountTotals, { comparison }: Facts): number {
  const attempts = comparison?.accounts.get(account)?.counts.attempts ?? null;
  return attempts === null ? 0 : Math.abs(attempts.now - attempts.reference);
}

function accountRow(account: AccountTotals, { comparison }: Facts, format: Format): Row {
  const { words } = format;
  const title = displayName(account.label, account.account, maxTitleLength);
  const columns = figureColumns(format);
  if (!hasFigures(account)) return { title, under: words.notLoaded, cells: columns.map(() => '–') };
  const changes = comparison?.accounts.get(account.account);
  const attempts = changes?.counts.attempts ?? null;
  return {
    title,
    under: lackOf(account, format),
    cells: figureCells(account.attempts, ratesOf([account]), format),
    changes: [attempts && format.change(attempts), rateChangeText(changes?.connectRate ?? null, format)].map(
      (change) => (change === words.noChange ? null : change),
    ),
  };
}

function lackOf({ state, provisionalDays }: AccountTotals, { words }: Format): string | null {
  if (state !== 'loaded') return words.incompleteDay;
  return provisionalDays.length > 0 ? words.provisionalDay : null;
}

/** The campaigns with the most attempts: the top ten of more, or all of a single account. */
export function campaignTable({ topCampaigns, totals, accounts }: Facts, format: Format): Table | null {
  const { tables } = format.words;
  if (totals.campaigns > maxRows) return figureTable(tables.topTen, topCampaigns, accounts, format);
  return accounts.length > 1 ? null : figureTable(tables.campaigns, topCampaigns, accounts, format);
}

/** The campaigns with the highest and the lowest connect rates; null if few ran. */
export function extremeRatesTable({ extremeRates, totals, accounts }: Facts, format: Format): Table | null {
  if (totals.campaigns <= maxRows) return null;
  return figureTable(format.words.tables.extremeRates, extremeRates, accounts, format);
}

/** Live and busy only if no table of accounts has them: names need the space on a phone. */
function figureTable(
  heading: string,
  campaigns: readonly TopCampaign[],
  { length: accounts }: readonly AccountTotals[],
  format: Format,
): Table | null {
  if (campaigns.length === 0) return null;
  const columns = accounts > 1 ? 2 : 4;
  return {
    heading,
    note: null,
    columns: [format.words.tables.columns.campaign, ...figureColumns(format).slice(0, columns)],
    rows: campaigns.map((campaign) => ({
      ...nameOf(campaign, accounts > 1),
      cells: figureCells(campaign.attempts, ratesOf([campaign]), format).slice(0, columns),
    })),
  };
}

function nameOf(
  { campaign, callsetId, label }: Pick<TopCampaign, 'campaign' | 'callsetId' | 'label'>,
  manyAccounts: boolean,
): Pick<Row, 'title' | 'under'> {
  return {
    title: displayName(campaign, `#${callsetId}`, maxTitleLength),
    under: manyAccounts ? displayName(label, '', maxTitleLength) : null,
  };
}

/** The days of the chart; null if fewer than three are loaded, too few to compare. */
export function lastDaysTable({ days, period }: Facts, format: Format): Table | null {
  if (days.filter(({ sums }) => sums !== null).length < 3) return null;
  const { columns } = format.words.tables;
  return {
    heading: periodWords(period, format).chart(days.length),
    note: null,
    columns: [columns.day, columns.attempts, columns.connects, columns.connected],
    rows: days.map((each) => ({
      title: format.day(each.day),
      under: lackOfDay(each, format),
      cells: [
        format.count(each.sums?.attempts ?? null),
        format.count(each.sums?.connects ?? null),
        format.rate(each.connectRate),
      ],
    })),
  };
}

function lackOfDay({ sums, incomplete, provisional }: ChartDay, { words }: Format): string | null {
  if (sums === null) return words.notLoaded;
  if (incomplete) return words.incompleteDay;
  return provisional ? words.provisionalDay : null;
}

function figureColumns({ words }: Format) {
  const { attempts, connected, live, busy } = words.tables.columns;
  return [attempts, connected, live, busy] as const;
}

function figureCells(
  attempts: number | null,
  { connects, liveAnswers, busies }: Rates,
  format: Format,
): string[] {
  return [format.count(attempts), format.rate(connects), format.rate(liveAnswers), format.rate(busies)];
}
