import type { ClientNews, RestatedDay } from '../../model/digest.ts';
import { countNames } from '../../model/records.ts';
import { displayName, type Format } from '../format.ts';
import type { AttentionPart, Item } from './content.ts';
import type { Facts } from './facts.ts';
import { shortened, withMore } from './lists.ts';
import { provisionalLines } from './notes.ts';

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

function newLines({ attention, period, minorProvisional }: Facts, format: Format): Line[] {
  const { attention: words } = format.words;
  const { restated, held, newClients, vanishedClients } = attention;
  const largestFirst = restated.toSorted((one, other) => differenceOf(other) - differenceOf(one));
  return [
    ...held
      .filter(({ isNew }) => isNew)
      .map(({ label, day, since }) => ({
        title: words.held,
        line: `${dayOf(label, day, format)}: ${words.heldSince(format.time(since))}`,
      })),
    ...provisionalLines(minorProvisional, period, format).map((line) => ({ title: words.provisional, line })),
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

function dayOf(label: string, day: string, format: Format): string {
  return `${displayName(label)}, ${format.day(day)}`;
}

function clientLine({ label, count, names }: ClientNews, format: Format): string {
  const shown = names.map((name) => displayName(name));
  return `${displayName(label)}: ${format.list(withMore(shown, count, format))}`;
}
