import type { DigestFigures } from '../../model/digest.ts';
import type { Counts } from '../../model/records.ts';
import { counted, type Format, rate } from '../format.ts';
import { lastDays } from './compare.ts';
import type { Row, Table } from './content.ts';
import { shown } from './names.ts';
import { hasFigures } from './totals.ts';

const figureColumns = ['Attempts', 'Connected', 'Live', 'Busy'] as const;

/** The campaigns with the most attempts; null where there is none. */
export function campaignTable({ topCampaigns, accounts }: DigestFigures, format: Format): Table | null {
  if (topCampaigns.length === 0) return null;
  return {
    heading: topCampaigns.length === 10 ? 'Top ten campaigns' : 'Campaigns with the most attempts',
    columns: ['Campaign', ...figureColumns],
    rows: topCampaigns.map((campaign) => ({
      title: shown(campaign.campaign, `#${campaign.callsetId}`),
      under: accounts.length > 1 ? shown(campaign.label, '') : null,
      cells: figureCells(campaign, format),
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
      const title = shown(account.label, account.account);
      if (!hasFigures(account)) return { title, under: 'not loaded', cells: figureColumns.map(() => '–') };
      return {
        title,
        under: counted(account.campaigns, 'campaign', format),
        cells: figureCells(account, format),
      };
    }),
  };
}

/** The last 14 days as far as they are loaded; null where fewer than three are: a bar alone says nothing. */
export function lastDaysTable(figures: DigestFigures, format: Format): Table | null {
  const days = lastDays(figures);
  if (days.filter(({ sums }) => sums !== null).length < 3) return null;
  return {
    heading: `The last ${days.length} days`,
    columns: ['Day', 'Attempts', 'Connects'],
    rows: days.map(({ day, sums, incomplete }) => ({
      title: format.day(day),
      under: sums === null ? 'not loaded' : incomplete ? 'incomplete' : null,
      cells: [format.count(sums?.attempts ?? null), format.count(sums?.connects ?? null)],
    })),
  };
}

function figureCells({ attempts, connects, liveAnswers, busies }: Counts, format: Format): string[] {
  return [
    format.count(attempts),
    ...[connects, liveAnswers, busies].map((part) => format.rate(rate(part, attempts))),
  ];
}
