import type { Format } from '../format.ts';
import { rateChangeText } from './comparison.ts';
import type { Change, Tile } from './content.ts';
import type { Facts } from './facts.ts';
import { periodWords } from './period-words.ts';

/** Connect rate, attempts and live answers, each with its change. */
export function tiles(facts: Facts, format: Format): Tile[] {
  const { words } = format;
  const { totals, comparison } = facts;
  const rateChange = isComparable(facts) ? (comparison?.total.connectRate ?? null) : null;
  const { basis } = periodWords(facts.period, format);
  return [
    {
      title: marked(words.tiles.connectRate, facts, format),
      figure: format.rate(totals.rates.connects),
      note: rateNote(facts, format),
      change: changeOf(rateChangeText(rateChange, format), words.vs(basis)),
    },
    {
      title: marked(words.tiles.attempts, facts, format),
      figure: format.count(totals.attempts),
      note: totals.attempts === null ? words.notReported : campaignsNote(facts, format),
      change: countChange('attempts', facts, format),
    },
    {
      title: marked(words.tiles.liveAnswers, facts, format),
      figure: format.count(totals.liveAnswers),
      note: liveNote(facts, format),
      change: countChange('liveAnswers', facts, format),
    },
  ];
}

/** Campaigns without calls are counted apart: some services list all that there ever were. */
function campaignsNote({ totals: { campaigns, idle } }: Facts, format: Format): string {
  const { words } = format;
  const active = format.countOf(campaigns - idle, words.campaigns);
  return idle === 0 ? active : words.tiles.idle(active, format.count(idle));
}

/** A figure that lacks something says so where it stands. */
function marked(title: string, { lacking, provisional }: Facts, { words }: Format): string {
  if (lacking.length > 0) return `${title} (${words.incompleteDay})`;
  return provisional.length > 0 ? `${title} (${words.provisionalDay})` : title;
}

/** Connects of attempts; just the connects if no campaign reports both. */
function rateNote({ totals }: Facts, format: Format): string {
  const { words } = format;
  const { part, attempts } = totals.connectRate;
  if (part !== null) return words.partOfAttempts(format.count(part), format.count(attempts));
  return totals.connects === null
    ? words.notReported
    : `${format.count(totals.connects)} ${words.counts.connects}`;
}

function liveNote({ totals }: Facts, { words, rate }: Format): string | null {
  if (totals.liveAnswers === null) return words.notReported;
  return totals.rates.liveAnswers === null ? null : words.shareOfAttempts(rate(totals.rates.liveAnswers));
}

function countChange(name: 'attempts' | 'liveAnswers', facts: Facts, format: Format): Change | null {
  const change = isComparable(facts) ? (facts.comparison?.total.counts[name] ?? null) : null;
  return changeOf(change && format.change(change), periodWords(facts.period, format).vs);
}

/** Nothing stands beside figures that aren't confirmed. */
const isComparable = ({ provisional }: Facts) => provisional.length === 0;

const changeOf = (change: string | null, comparedWith: string): Change | null =>
  change === null ? null : { change, comparedWith };

/** Says that the changes cover only some accounts, or that there are none; null if they cover all. */
export function comparedNote(facts: Facts, format: Format): string | null {
  const { accounts, comparison, period } = facts;
  if (!isComparable(facts)) return null;
  const { words } = format;
  const { basis } = periodWords(period, format);
  if (comparison === null) return words.compared.none(basis);
  const { counts, connectRate } = comparison.total;
  const covered = [counts.attempts, counts.liveAnswers, connectRate]
    .filter((change) => change !== null)
    .map((change) => change.accounts);
  const fewest = covered.toSorted((one, other) => one - other)[0];
  if (fewest === undefined || fewest === accounts.length) return null;
  return words.compared.some(basis, words.someOf(format.count(fewest), format.count(accounts.length)));
}
