import type { Block } from '../blocks.ts';
import { type Format, rate } from '../format.ts';
import { rateChangeText } from './comparison.ts';
import type { Facts } from './facts.ts';
import { leftOutReasons } from './insight.ts';
import { changeOf, periodWords } from './period-words.ts';

/** Connect rate, attempts and live answers, each with its change, and what the changes cover. */
export function tileBlocks(facts: Facts, format: Format): Block[] {
  const { words } = format;
  const { totals, comparison, period } = facts;
  const { basis } = periodWords(period, format);
  // A change stands only next to the sum that it is of.
  const changes = comparison === null || comparison.leftOut.length > 0 ? null : comparison.total;
  const changed = (name: 'attempts' | 'liveAnswers') =>
    changeOf(changes?.counts[name] ?? null, period, format);
  const points = rateChangeText(changes?.connectRate ?? null, format);
  return [
    {
      kind: 'tiles',
      tiles: [
        {
          title: marked(words.tiles.connectRate, facts, format),
          figure: format.rate(totals.rates.connects),
          note: rateNote(facts, format),
          change: points === null ? null : { change: points, comparedWith: words.vs(basis) },
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

/** Compares the others if some accounts can't be compared, or says that nothing can yet. */
function comparedLine(facts: Facts, format: Format): Block[] {
  const { words } = format;
  const { comparison, period, lacking, provisional } = facts;
  const { basis } = periodWords(period, format);
  const line = (text: string): Block[] => [{ kind: 'line', tone: 'quiet', text }];
  if (comparison === null)
    return lacking.length + provisional.length > 0 ? [] : line(words.compared.none[period.every](basis));
  if (comparison.leftOut.length === 0) return [];
  const { counts, connectRate } = comparison.total;
  const attempts = changeOf(counts.attempts, period, format);
  const points = rateChangeText(connectRate, format);
  const figures = [
    attempts &&
      words.compared.attempts(format.count(counts.attempts!.now), attempts.change, attempts.comparedWith),
    points && words.compared.connected(format.rateOf(connectRate!.now), points),
  ].filter((each) => each !== null);
  return line(words.compared.without(leftOutReasons(facts, format), figures.join(', ')));
}
