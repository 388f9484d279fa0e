import type { Block } from '../blocks.ts';
import { type Format, rate } from '../format.ts';
import { countChangeText } from './comparison.ts';
import type { Facts } from './facts.ts';
import { leftOutReasons } from './insight.ts';
import { markOf } from './notes.ts';
import { periodWords } from './period-words.ts';

/** Connect rate, attempts and live answers, each with its change, and what the changes are compared with. */
export function tileBlocks(facts: Facts, format: Format): Block[] {
  const { words } = format;
  const { totals, comparison, period } = facts;
  // A change stands only next to the sum that it is of.
  const changes = comparison === null || comparison.leftOut.length > 0 ? null : comparison.total;
  const mark = markOf(facts, format);
  const changed = (name: 'attempts' | 'liveAnswers') =>
    mark ?? countChangeText(changes?.counts[name] ?? null, period, format);
  const campaigns = format.countOf(totals.campaigns - totals.idle, words.campaigns);
  return [
    {
      kind: 'tiles',
      tiles: [
        {
          title: words.tiles.connectRate,
          figure: format.rate(totals.rates.connects),
          note: rateNote(facts, format),
          change: mark ?? (changes?.connectRate ? format.points(changes.connectRate) : null),
        },
        {
          title: words.tiles.attempts,
          figure: format.count(totals.attempts),
          note: totals.attempts === null ? words.notReported : campaigns,
          change: changed('attempts'),
        },
        {
          title: words.tiles.liveAnswers,
          figure: format.count(totals.liveAnswers),
          note: liveNote(facts, format),
          change: changed('liveAnswers'),
        },
      ],
    },
    ...comparedLine(facts, format),
  ];
}

/** Connects; of how many attempts, if not of all. */
function rateNote({ totals }: Facts, format: Format): string {
  const { words } = format;
  const { part, attempts } = totals.rates.connects;
  if (part !== null && attempts !== totals.attempts)
    return words.partOfAttempts(format.count(part), format.count(attempts));
  return totals.connects === null
    ? words.notReported
    : `${format.count(totals.connects)} ${words.counts.connects}`;
}

function liveNote({ totals }: Facts, format: Format): string | null {
  const { liveAnswers } = totals.rates;
  if (totals.liveAnswers === null) return format.words.notReported;
  if (rate(liveAnswers.part, liveAnswers.attempts) === null) return null;
  return format.words.shareOfAttempts(format.rate(liveAnswers));
}

/** What all changes are compared with; the figures of those that are compared, if some accounts aren't. */
function comparedLine(facts: Facts, format: Format): Block[] {
  const { words } = format;
  const { comparison, period } = facts;
  const { basis, comparedWith } = periodWords(period, format);
  const line = (text: string): Block[] => [{ kind: 'line', tone: 'quiet', text }];
  if (comparison === null)
    return markOf(facts, format) === null ? line(words.compared.none[period.every](basis)) : [];
  const { counts, connectRate } = comparison.total;
  const days = callingDays(facts, format);
  if (comparison.leftOut.length === 0) return line(`${comparedWith}${days}.`);
  const attempts = countChangeText(counts.attempts, period, format);
  const points = connectRate && format.points(connectRate);
  const figures = [
    attempts && words.compared.attempts(format.count(Math.round(counts.attempts!.now)), attempts),
    points && words.compared.connected(format.rateOf(connectRate!.now), points),
  ].filter((each) => each !== null);
  const without = words.compared.without(leftOutReasons(facts, format), figures.join(', '));
  return line(`${without} ${comparedWith}${days}.`);
}

/** `: 21 days, 22 in October`, if all accounts that are compared have as many in their months; else nothing. */
function callingDays({ comparison, typical, period }: Facts, format: Format): string {
  const days = typical
    .filter(({ account }) => comparison!.accounts.has(account))
    .flatMap(({ callingDays }) => callingDays ?? []);
  const [first] = days;
  const isSame = days.every(({ now, typical }) => now === first!.now && typical === first!.typical);
  if (first === undefined || !isSame) return '';
  const { words } = format;
  const { basis } = periodWords(period, format);
  return `: ${words.callingDays(format.countOf(first.now, words.days), format.count(first.typical), basis)}`;
}
