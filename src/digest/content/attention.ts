import type { Attention, ClientNews, RestatedDay } from '../../model/digest.ts';
import { type CountName, countNames } from '../../model/records.ts';
import { displayName, type Format } from '../format.ts';
import type { AttentionPart, Item } from './content.ts';
import type { Facts } from './facts.ts';

/** Further lines are counted, and their kinds named. */
const maxLines = 5;

type Line = { readonly title: string; readonly line: string };

/** What is new since the last digest, the most serious first; what merely stands is a count. */
export function attentionPart(facts: Facts, format: Format): AttentionPart {
  const lines = newLines(facts, format);
  const shown = Map.groupBy(lines.slice(0, maxLines), ({ title }) => title);
  const items = [...shown].map(([title, all]) => ({ title, lines: all.map(({ line }) => line) }));
  const rest = lines.slice(maxLines);
  return {
    heading: format.words.attention.heading,
    items: rest.length > 0 ? [...items, restItem(rest, format)] : items,
    ongoing: ongoingLines(facts, format),
  };
}

/** `3 more`, and of which kinds. */
function restItem(rest: readonly Line[], format: Format): Item {
  const kinds = new Set(rest.map(({ title }) => title));
  return { title: format.words.more(format.count(rest.length)), lines: [[...kinds].join(' · ')] };
}

function newLines({ attention, period }: Facts, format: Format): Line[] {
  const { attention: words } = format.words;
  const { restated, held, suspicious, newClients, vanishedClients } = attention;
  const largestFirst = restated.toSorted((one, other) => differenceOf(other) - differenceOf(one));
  return [
    ...held
      .filter(({ isNew }) => isNew)
      .map(({ label, day, since }) => ({
        title: words.held,
        line: `${dayOf(label, day, format)}: ${words.heldSince(format.time(since))}`,
      })),
    ...suspicious
      .filter(({ reason }) => reason === 'no calls')
      .map(({ label, day }) => ({ title: words.noCalls, line: dayOf(label, day, format) })),
    ...suspicious
      .filter(({ reason }) => reason !== 'no calls')
      .map((each) => ({ title: words.mayBeWrong, line: suspiciousLine(each, format) })),
    ...largestFirst.map((each) => ({
      title: words.restated,
      line: restatedLine(each, period.every === 'day', format),
    })),
    ...vanishedClients.map((each) => ({ title: words.vanishedClients, line: clientLine(each, format) })),
    ...newClients.map((each) => ({ title: words.newClients, line: clientLine(each, format) })),
  ];
}

/** Further titles are only counted at the top. */
const maxPointed = 3;

/** Announces a single line in full, several by their titles. */
export function attentionPointer(items: readonly Item[], format: Format): string | null {
  const [first] = items;
  if (first === undefined) return null;
  const isSingle = items.length === 1 && first.lines.length === 1;
  const titles = shortened(
    items.map(({ title }) => title),
    maxPointed,
    format,
  ).join(' · ');
  return format.words.attention.pointer(isSingle ? `${first.title}, ${first.lines[0]}` : titles);
}

/** `1 response is still held back`; `93 balances below 25.00, 2 of them new: Grove Dental (−3.50), …`. */
function ongoingLines({ attention, lowBalance, accounts }: Facts, format: Format): string[] {
  const { attention: words } = format.words;
  const held = attention.held.filter(({ isNew }) => !isNew).length;
  const { count, newCount, lowest } = attention.lowBalances;
  const balances = words.lowBalances(format.countOf(count, words.balances), format.money(String(lowBalance)));
  const names = lowest.map(({ label, name, balance }) => {
    const of = accounts.length > 1 ? `, ${displayName(label)}` : '';
    return `${displayName(name)} (${format.money(balance)}${of})`;
  });
  const named = format.list(withMore(names, newCount, format));
  return [
    ...(held === 0 ? [] : [words.stillHeld(format.countOf(held, format.words.days))]),
    ...(count === 0
      ? []
      : [newCount === 0 ? `${balances}.` : `${words.newOnes(balances, format.count(newCount), named)}.`]),
  ];
}

const differenceOf = ({ from, to }: RestatedDay) => Math.abs((to.attempts ?? 0) - (from.attempts ?? 0));

function restatedLine(
  { label, day, campaigns, from, to }: RestatedDay,
  isOfDay: boolean,
  format: Format,
): string {
  const { attention: words } = format.words;
  const some = format.countOf(campaigns, format.words.campaigns);
  // The mail of the week or month may have lacked the day, so its earlier sums aren't known.
  const isNew = !isOfDay && countNames.every((name) => from[name] === null);
  const change = isNew ? words.now(format.sums(to)) : format.countChanges(from, to) || words.sameSums;
  return `${dayOf(label, day, format)}: ${change} (${some})`;
}

function suspiciousLine(
  { label, day, reason, detail }: Attention['suspicious'][number],
  format: Format,
): string {
  const { attention: words } = format.words;
  const lines = {
    'no calls': () => words.noCalls,
    unreported: () => words.unreported(countsOf(detail, format)),
    notice: () => words.notice(displayName(detail)),
    counts: () => words.counts,
    unreadable: () => words.unreadable,
  };
  return `${dayOf(label, day, format)}: ${lines[reason]()}`;
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

/** Shortens a list; what is left out is counted. */
export function shortened(lines: readonly string[], max: number, format: Format): readonly string[] {
  return lines.length <= max + 1 ? lines : withMore(lines.slice(0, max), lines.length, format);
}

function withMore(shown: readonly string[], count: number, format: Format): readonly string[] {
  const rest = count - shown.length;
  return rest > 0 ? [...shown, format.words.more(format.count(rest))] : shown;
}
