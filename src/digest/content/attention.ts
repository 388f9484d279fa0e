import type { AccountCoverage, ClientNews, DigestFigures } from '../../model/digest.ts';
import { formatList } from '../../support/english.ts';
import { counted, type Format } from '../format.ts';
import type { Item } from './content.ts';
import { countChanges } from './count-changes.ts';
import { shown } from './names.ts';

/** More lines than this are only counted. */
const most = 10;

/** What somebody should look at, besides the accounts that the notes name. */
export function attentionItems(figures: DigestFigures, format: Format): Item[] {
  const { attention } = figures;
  const items: Item[] = [
    { title: 'Days not loaded', lines: figures.coverage.flatMap((one) => missingLine(one, format)) },
    {
      title: 'Changed since the last digest',
      lines: attention.restated.map(
        ({ label, day, campaigns, from, to }) =>
          `${dayOf(label, day, format)}: ${countChanges(from, to, format) || 'the same sums'} (${counted(campaigns, 'campaign', format)})`,
      ),
    },
    {
      title: 'Held back',
      lines: attention.held.map(
        ({ label, day, since }) =>
          `${dayOf(label, day, format)}: since ${format.time(since)} the service reports far less than before. The figures from before stay until it reports that again.`,
      ),
    },
    {
      title: 'No calls on a weekday that usually has some',
      lines: attention.suspicious.map(({ label, day }) => dayOf(label, day, format)),
    },
    {
      title: 'Records that could not be read, and are not counted',
      lines: attention.quarantined.map(
        ({ label, campaigns, clients }) => `${shown(label, '')}: ${unreadable(campaigns, clients, format)}`,
      ),
    },
    { title: 'New clients', lines: attention.newClients.map((news) => clientLine(news, format)) },
    {
      title: 'Clients no longer listed',
      lines: attention.vanishedClients.map((news) => clientLine(news, format)),
    },
    lowBalances(figures, format),
  ];
  return items.filter(({ lines }) => lines.length > 0).map((item) => shortened(item, format));
}

function missingLine(
  { label, missing, firstMissing, lastMissing }: AccountCoverage,
  format: Format,
): string[] {
  if (firstMissing === null || lastMissing === null) return [];
  const days = [...new Set([firstMissing, lastMissing])].map((day) => format.day(day));
  const name = shown(label, '');
  if (missing <= 2) return [`${name}: ${formatList(days)}`];
  return [`${name}: ${counted(missing, 'day', format)} from ${days[0]} to ${days[1]}`];
}

function dayOf(label: string, day: string, format: Format): string {
  return `${shown(label, '')}, ${format.day(day)}`;
}

function unreadable(campaigns: number, clients: number, format: Format): string {
  const kinds = [
    ...(campaigns > 0 ? [counted(campaigns, 'campaign', format)] : []),
    ...(clients > 0 ? [counted(clients, 'client', format)] : []),
  ];
  return formatList(kinds);
}

function clientLine({ label, count, names }: ClientNews, format: Format): string {
  const rest = count - names.length;
  const words = names.map((name) => shown(name, ''));
  return `${shown(label, '')}: ${formatList(rest > 0 ? [...words, `${format.count(rest)} more`] : words)}`;
}

function lowBalances({ attention, lowBalance, accounts }: DigestFigures, format: Format): Item {
  const lines = attention.lowBalances.map(({ label, name, balance }) => {
    const of = accounts.length > 1 ? ` (${shown(label, '')})` : '';
    return `${shown(name, '')}${of}: ${format.money(balance)}`;
  });
  const rest = attention.lowBalanceCount - lines.length;
  return {
    title: `Balance below ${lowBalance === null ? '' : format.money(String(lowBalance))}`,
    lines: rest > 0 ? [...lines, `${format.count(rest)} more`] : lines,
  };
}

function shortened({ title, lines }: Item, format: Format): Item {
  if (lines.length <= most + 1) return { title, lines };
  return { title, lines: [...lines.slice(0, most), `${format.count(lines.length - most)} more`] };
}
