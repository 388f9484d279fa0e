import type { AccountTotals, ClientNews } from '../../model/digest.ts';
import { countNames } from '../../model/records.ts';
import type { Block, Note } from '../blocks.ts';
import { accountName, displayName, displayServiceName, type Format, maxNames } from '../format.ts';
import type { Facts } from './facts.ts';
import { reasonOf } from './notes.ts';
import { hasFigures } from './totals.ts';

/** Further lines are counted, and their kinds named. */
const maxLines = 5;

type News = { readonly title: string; readonly line: string };

/** The news since the last digest, the most serious first. */
export function attentionNotes(facts: Facts, format: Format): Note[] {
  const news = newLines(facts, format);
  if (news.length === 0) return [];
  const { attention, more } = format.words;
  const rest = news.slice(maxLines);
  const kinds = new Set(rest.map(({ title }) => title));
  const lines = [
    ...news.slice(0, maxLines).map(({ title, line }) => `${title}, ${line}`),
    ...(rest.length === 0 ? [] : [`${more(format.count(rest.length))}: ${[...kinds].join(', ')}`]),
  ];
  return [{ kind: 'note', tone: 'attention', title: attention.heading, lines }];
}

function newLines({ attention, before }: Facts, format: Format): News[] {
  const { attention: words } = format.words;
  const { held, newClients, vanishedClients, newAccounts, goneAccounts } = attention;
  const accountLines = (title: string, labels: readonly string[], suffix: string) => {
    if (labels.length === 0 || before !== null) return [];
    return [{ title, line: `${format.names(labels)}${suffix}` }];
  };
  return [
    ...held
      .filter(({ isNew }) => isNew)
      .map(({ label, day, since }) => ({
        title: words.held,
        line: `${displayName(label)}, ${format.day(day)}: ${words.heldSince(format.time(since))}`,
      })),
    ...accountLines(words.newAccounts, newAccounts, ''),
    ...accountLines(words.goneAccounts, goneAccounts, `: ${words.noLongerIn}`),
    ...vanishedClients.map((each) => ({ title: words.vanishedClients, line: clientLine(each, format) })),
    ...newClients.map((each) => ({ title: words.newClients, line: clientLine(each, format) })),
  ];
}

/**
 * Accounts with the same campaigns, held days that aren't new, what is accepted, unreported counts and low balances, in one line:
 * `Still held back: 1 day. Not reported …: connects of 1 of 7 campaigns. 93 balances below 25.00.`
 */
export function lastingLine(facts: Facts, format: Format): Block[] {
  const { attention, lowBalance, accounts } = facts;
  const { attention: words } = format.words;
  const held = attention.held.filter(({ isNew }) => !isNew).length;
  const { count, newCount, lowest } = attention.lowBalances;
  const unreported = unreportedLines(facts, format);
  const reasons = Map.groupBy(attention.known, ({ anomaly }) => reasonOf(anomaly, format));
  const known = [...reasons].map(([reason, some]) => {
    const labels = some.map(({ label }) => label);
    return accounts.length === 1 ? reason : `${format.names(labels)}: ${reason}`;
  });
  const balances = words.lowBalances(format.countOf(count, words.balances), format.money(String(lowBalance)));
  const names = lowest.map(({ label, name, balance }) => {
    const of = accounts.length > 1 ? `, ${displayName(label)}` : '';
    return `${displayServiceName(name)} (${format.money(balance)}${of})`;
  });
  const named = format.list(format.withMore(names, newCount));
  const twice = attention.sameCampaigns.map(({ accounts }) => {
    const labels = accounts.map(({ label }) => label);
    return words.twice(format.names(labels));
  });
  const sentences = [
    ...twice,
    ...(held === 0 ? [] : [words.stillHeld(format.countOf(held, format.words.days))]),
    ...(known.length === 0 ? [] : [words.known(format.shortened(known, maxNames).join('; '))]),
    ...(unreported.length === 0 ? [] : [words.unreported(format.shortened(unreported, maxNames).join('; '))]),
    ...(count === 0
      ? []
      : [newCount === 0 ? `${balances}.` : `${words.newOnes(balances, format.count(newCount), named)}.`]),
  ];
  return sentences.length === 0 ? [] : [{ kind: 'line', tone: 'quiet', text: sentences.join(' ') }];
}

/** Counts the campaigns that didn't report a count: the sums lack them. */
function unreportedLines({ accounts }: Facts, format: Format): string[] {
  const { words } = format;
  const partsOf = ({ unreported, campaigns }: AccountTotals) =>
    countNames
      .filter((name) => unreported[name] > 0)
      .map((name) =>
        words.attention.unreportedOf(
          words.counts[name],
          format.count(unreported[name]),
          format.countOf(campaigns, words.campaigns),
        ),
      );
  return accounts.filter(hasFigures).flatMap((account) => {
    const parts = partsOf(account);
    if (parts.length === 0) return [];
    return accounts.length === 1 ? [format.list(parts)] : [`${accountName(account)}: ${format.list(parts)}`];
  });
}

function clientLine({ label, count, names }: ClientNews, format: Format): string {
  const shown = names.map((name) => displayServiceName(name));
  return `${displayName(label)}: ${format.list(format.withMore(shown, count))}`;
}
