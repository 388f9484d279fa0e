import type { AccountCoverage, Attention, ClientNews, DigestFigures } from '../../model/digest.ts';
import { formatList } from '../../support/english.ts';
import { displayName, type Format } from '../format.ts';
import type { Item } from './content.ts';

/** More lines than this are only counted. */
const maxLines = 10;

/** What somebody should look at, besides the accounts that the notes name. */
export function attentionItems(figures: DigestFigures, format: Format): Item[] {
  const { attention } = figures;
  const items: Item[] = [
    { title: 'Days not loaded', lines: figures.coverage.flatMap((one) => missingLine(one, format)) },
    {
      title: 'Changed since the last digest',
      lines: attention.restated.map(
        ({ label, day, campaigns, from, to }) =>
          `${dayOf(label, day, format)}: ${format.countChanges(from, to) || 'the same sums'} (${format.countOf(campaigns, 'campaign')})`,
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
      lines: attention.suspicious
        .filter(({ reason }) => reason === 'no calls')
        .map(({ label, day }) => dayOf(label, day, format)),
    },
    {
      title: 'Loaded, but the response may be wrong',
      lines: attention.suspicious.flatMap((each) => suspiciousLine(each, format)),
    },
    {
      title: 'Records that could not be read, and are not counted',
      lines: attention.quarantined.map(
        ({ label, campaigns, clients }) => `${displayName(label)}: ${unreadable(campaigns, clients, format)}`,
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

function suspiciousLine(
  { label, day, reason, detail }: Attention['suspicious'][number],
  format: Format,
): string[] {
  if (reason === 'no calls') return [];
  const said = displayName(detail, '…').replaceAll('_', ' ');
  const words = {
    unreported: `most campaigns report no ${said}`,
    notice: `the service added “${displayName(detail)}”`,
    counts: `${said}: there may be more campaigns than these`,
  };
  return [`${dayOf(label, day, format)}: ${words[reason]}`];
}

function missingLine(
  { label, missing, firstMissing, lastMissing }: AccountCoverage,
  format: Format,
): string[] {
  if (firstMissing === null || lastMissing === null) return [];
  const days = [...new Set([firstMissing, lastMissing])].map((day) => format.day(day));
  const name = displayName(label);
  if (missing <= 2) return [`${name}: ${formatList(days)}`];
  return [`${name}: ${format.countOf(missing, 'day')} from ${days[0]} to ${days[1]}`];
}

function dayOf(label: string, day: string, format: Format): string {
  return `${displayName(label)}, ${format.day(day)}`;
}

function unreadable(campaigns: number, clients: number, format: Format): string {
  const kinds = [
    campaigns > 0 ? format.countOf(campaigns, 'campaign') : null,
    clients > 0 ? format.countOf(clients, 'client') : null,
  ];
  return formatList(kinds.filter((kind) => kind !== null));
}

function clientLine({ label, count, names }: ClientNews, format: Format): string {
  const shown = names.map((name) => displayName(name));
  return `${displayName(label)}: ${formatList(withMore(shown, count, format))}`;
}

function lowBalances({ attention, lowBalance, accounts }: DigestFigures, format: Format): Item {
  const lines = attention.lowBalances.map(({ label, name, balance }) => {
    const of = accounts.length > 1 ? ` (${displayName(label)})` : '';
    return `${displayName(name)}${of}: ${format.money(balance)}`;
  });
  return {
    title: `Balance below ${lowBalance === null ? '' : format.money(String(lowBalance))}`,
    lines: withMore(lines, attention.lowBalanceCount, format),
  };
}

function shortened({ title, lines }: Item, format: Format): Item {
  if (lines.length <= maxLines + 1) return { title, lines };
  return { title, lines: withMore(lines.slice(0, maxLines), lines.length, format) };
}

/** The lines shown and, where there are more in all, how many. */
function withMore(shown: readonly string[], count: number, format: Format): readonly string[] {
  const rest = count - shown.length;
  return rest > 0 ? [...shown, `${format.count(rest)} more`] : shown;
}
