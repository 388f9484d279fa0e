import type { Attention, ClientNews, DigestFigures, RestatedDay } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import { type CountName, countNames } from '../../model/records.ts';
import { displayName, type Format } from '../format.ts';
import type { Item } from './content.ts';

/** Further lines are only counted. */
const maxLines = 10;

/**
 * The items that need attention, besides the accounts that the notes name.
 *
 * @param balances a file with all low balances is attached
 */
export function attentionItems(figures: DigestFigures, balances: boolean, format: Format): Item[] {
  const { attention } = figures;
  const { attention: words } = format.words;
  const items: Item[] = [
    {
      title: words.restated,
      lines: attention.restated.map((each) => restatedLine(each, figures.period, format)),
    },
    {
      title: words.held,
      lines: attention.held.map(
        ({ label, day, since }) => `${dayOf(label, day, format)}: ${words.heldSince(format.time(since))}`,
      ),
    },
    {
      title: words.noCalls,
      lines: attention.suspicious
        .filter(({ reason }) => reason === 'no calls')
        .map(({ label, day }) => dayOf(label, day, format)),
    },
    {
      title: words.mayBeWrong,
      lines: attention.suspicious.flatMap((each) => suspiciousLine(each, format)),
    },
    { title: words.newClients, lines: attention.newClients.map((news) => clientLine(news, format)) },
    {
      title: words.vanishedClients,
      lines: attention.vanishedClients.map((news) => clientLine(news, format)),
    },
  ];
  return [...items.map((item) => shortened(item, format)), lowBalances(figures, balances, format)].filter(
    ({ lines }) => lines.length > 0,
  );
}

/** Further titles are only counted at the top. */
const maxPointed = 3;

/** Announces a single line in full, several by their titles. */
export function attentionPointer(items: readonly Item[], format: Format): string | null {
  const [first] = items;
  if (first === undefined) return null;
  const { pointer } = format.words.attention;
  if (items.length === 1 && first.lines.length === 1) return pointer(`${first.title}: ${first.lines[0]}`);
  const titles = items.slice(0, maxPointed).map(({ title }) => title);
  return pointer(withMore(titles, items.length, format).join(' · '));
}

function restatedLine(
  { label, day, campaigns, from, to }: RestatedDay,
  { every }: Period,
  format: Format,
): string {
  const { attention: words } = format.words;
  const some = format.countOf(campaigns, format.words.campaigns);
  // The mail of the week or month may have lacked the day, so its earlier sums aren't known.
  const isNew = every !== 'day' && countNames.every((name) => from[name] === null);
  const change = isNew ? words.now(format.sums(to)) : format.countChanges(from, to) || words.sameSums;
  return `${dayOf(label, day, format)}: ${change} (${some})`;
}

function suspiciousLine(
  { label, day, reason, detail }: Attention['suspicious'][number],
  format: Format,
): string[] {
  if (reason === 'no calls') return [];
  const { attention: words } = format.words;
  const lines = {
    unreported: () => words.unreported(countsOf(detail, format)),
    notice: () => words.notice(displayName(detail)),
    counts: () => words.counts,
    unreadable: () => words.unreadable,
  };
  return [`${dayOf(label, day, format)}: ${lines[reason]()}`];
}

/** Translates columns as a view lists them, `attempts, live_answers`. */
function countsOf(detail: string | null, format: Format): string {
  const columns = (detail ?? '').split(', ');
  const columnOf: { readonly [name in CountName]: string } = {
    attempts: 'attempts',
    busies: 'busies',
    connects: 'connects',
    liveAnswers: 'live_answers',
  };
  const names = countNames.filter((name) => columns.includes(columnOf[name]));
  return format.list(names.map((name) => format.words.counts[name]));
}

function dayOf(label: string, day: string, format: Format): string {
  return `${displayName(label)}, ${format.day(day)}`;
}

function clientLine({ label, count, names }: ClientNews, format: Format): string {
  const shown = names.map((name) => displayName(name));
  return `${displayName(label)}: ${format.list(withMore(shown, count, format))}`;
}

function lowBalances(
  { attention, lowBalance, accounts }: DigestFigures,
  attached: boolean,
  format: Format,
): Item {
  const { words } = format;
  const lines = attention.lowBalances.map(({ label, name, balance }) => {
    const of = accounts.length > 1 ? ` (${displayName(label)})` : '';
    return `${displayName(name)}${of}: ${format.money(balance)}`;
  });
  return {
    // Without a limit there are no lines, and the title isn't shown.
    title: words.attention.lowBalances(format.money(String(lowBalance))),
    lines: withMore(lines, attention.lowBalanceCount, format, attached ? words.moreAttached : words.more),
  };
}

function shortened({ title, lines }: Item, format: Format): Item {
  if (lines.length <= maxLines + 1) return { title, lines };
  return { title, lines: withMore(lines.slice(0, maxLines), lines.length, format) };
}

function withMore(
  shown: readonly string[],
  count: number,
  format: Format,
  more = format.words.more,
): readonly string[] {
  const rest = count - shown.length;
  return rest > 0 ? [...shown, more(format.count(rest))] : shown;
}
