import type { DigestFigures } from '../../model/digest.ts';
import { displayName, type Exact, type Format } from '../format.ts';
import type { Row, Table } from './content.ts';
import { periodWords } from './period-words.ts';
import { type ChartDay, type DayTotals, exactSums, hasFigures, lastDays, ratesOf } from './totals.ts';

const figureColumns = ['Attempts', 'Connected', 'Live', 'Busy'] as const;

/** The campaigns with the most attempts; null where there is none. */
export function campaignTable({ topCampaigns, accounts }: DigestFigures, format: Format): Table | null {
  if (topCampaigns.length === 0) return null;
  return {
    heading: topCampaigns.length === 10 ? 'Top ten campaigns' : 'Campaigns with the most attempts',
    columns: ['Campaign', ...figureColumns],
    rows: topCampaigns.map((campaign) => ({
      title: displayName(campaign.campaign, `#${campaign.callsetId}`),
      under: accounts.length > 1 ? displayName(campaign.label) : null,
      cells: figureCells(campaign.attempts, ratesOf([campaign]), format),
    })),
  };
}

/** The accounts, where there are several. */
export function accountTable({ accounts }: DigestFigures, format: Format): Table | null {
  if (accounts.length < 2) return null;
  return {
    heading: 'Accounts',
    columns: ['Account', ...figureColumns],
    rows: accounts.map((account): Row => {
      const title = displayName(account.label, account.account);
      if (!hasFigures(account)) return { title, under: 'not loaded', cells: figureColumns.map(() => '–') };
      return {
        title,
        under: format.countOf(account.campaigns, 'campaign'),
        cells: figureCells(exactSums(account).attempts, ratesOf([account]), format),
      };
    }),
  };
}

/** The days of the chart as far as they are loaded; null where fewer than three are: a bar alone says nothing. */
export function lastDaysTable(figures: DigestFigures, format: Format): Table | null {
  const days = lastDays(figures);
  if (days.filter(({ sums }) => sums !== null).length < 3) return null;
  return {
    heading: periodWords(figures.period, format).chart(days.length),
    columns: ['Day', 'Attempts', 'Connects', 'Connected'],
    rows: days.map((each) => ({
      title: format.day(each.day),
      under: lackOf(each),
      cells: [
        format.count(each.sums?.attempts ?? null),
        format.count(each.sums?.connects ?? null),
        format.rate(each.connectRate),
      ],
    })),
  };
}

function lackOf({ sums, incomplete }: ChartDay): string | null {
  if (sums === null) return 'not loaded';
  return incomplete ? 'incomplete' : null;
}

function figureCells(attempts: Exact | null, rates: DayTotals['rates'], format: Format): string[] {
  const { connects, liveAnswers, busies } = rates;
  return [format.count(attempts), ...[connects, liveAnswers, busies].map((each) => format.rate(each))];
}
