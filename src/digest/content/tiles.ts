import type { Block, Change } from '../blocks.ts';
import { type Format, rate } from '../format.ts';
import { rateChangeText } from './comparison.ts';
import type { Facts } from './facts.ts';
import { periodWords } from './period-words.ts';

/** Connect rate, attempts and live answers, each with its change, and what the changes cover. */
export function tileBlocks(facts: Facts, format: Format): Block[] {
  const { words } = format;
  const { totals, comparison, period } = facts;
  const { basis, vs } = periodWords(period, format);
  const changes = comparison?.total ?? null;
  const changed = (name: 'attempts' | 'liveAnswers') => {
    const change = changes?.counts[name] ?? null;
    return changeOf(change && format.change(change), vs);
  };
  return [
    {
      kind: 'tiles',
      tiles: [
        {
          title: marked(words.tiles.connectRate, facts, format),
          figure: format.rate(totals.rates.connects),
          note: rateNote(facts, format),
          change: changeOf(rateChangeText(changes?.connectRate ?? null, format), words.vs(basis)),
        },
        {
          title: marked(words.tiles.attempts, facts, format),
          figure: format.count(totals.attempts),
          note: totals.attempts === null ? words.notReported : campaignsNote(facts, format),
          change: changed('attempts'),
        },
        {
          title: marked(words.tiles.liveAnswers, facts, format),
          figure: format.count(totals.liveAnswers),
          note: liveNote(facts, format),
          change: changed('liveAnswers'),
        },
      ],
    },
    ...comparedLine(facts, format),
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
  const { part, attempts } = totals.rates.connects;
  if (part !== null) return words.partOfAttempts(format.count(part), format.count(attempts));
  return totals.connects === null
    ? words.notReported
    : `${format.count(totals.connects)} ${words.counts.connects}`;
}

function liveNote({ totals }: Facts, format: Format): string | null {
  const { liveAnswers } = totals.rates;
  if (totals.liveAnswers === null) return format.words.notReported;
  const isRated = rate(liveAnswers.part, liveAnswers.attempts) !== null;
  return isRated ? format.words.shareOfAttempts(format.rate(liveAnswers)) : null;
}

const changeOf = (change: string | null, comparedWith: string): Change | null =>
  change === null ? null : { change, comparedWith };

/** Says that the changes cover only some accounts, or that there are none. */
function comparedLine(
  { accounts, comparison, lacking, provisional, period }: Facts,
  format: Format,
): Block[] {
  const { words } = format;
  const { basis } = periodWords(period, format);
  const line = (text: string): Block[] => [{ kind: 'line', tone: 'quiet', text }];
  // A mark says it already.
  if (lacking.length + provisional.length > 0) return [];
  const total = comparison?.total ?? null;
  if (total === null) return line(words.compared.none(basis));
  const covered = [total.counts.attempts, total.counts.liveAnswers, total.connectRate]
    .filter((change) => change !== null)
    .map((change) => change.accounts);
  const fewest = covered.toSorted((one, other) => one - other)[0];
  if (fewest === undefined || fewest === accounts.length) return [];
  return line(words.compared.some(basis, words.someOf(format.count(fewest), format.count(accounts.length))));
}
