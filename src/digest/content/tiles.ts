import type { DigestFigures } from '../../model/digest.ts';
import type { CountName } from '../../model/records.ts';
import type { Format } from '../format.ts';
import { withPeriodBefore, withTypicalWeekday } from './comparison.ts';
import type { Change, Tile } from './content.ts';
import { periodWords } from './period-words.ts';
import { addRates, hasFigures, sumUp } from './totals.ts';

/** Connect rate, attempts, live answers and busies, each with its changes; a day also against a typical weekday. */
export function tiles(figures: DigestFigures, format: Format): Tile[] {
  return [
    rateTile(figures, format),
    ...(['attempts', 'liveAnswers', 'busies'] as const).map((name) => countTile(name, figures, format)),
  ];
}

function rateTile(figures: DigestFigures, format: Format): Tile {
  return {
    title: format.words.tiles.connectRate,
    figure: format.rate(sumUp(figures.accounts).rates.connects),
    note: rateNote(figures, format),
    changes: rateChanges(figures, format),
  };
}

/** Connects of attempts; just the connects if no campaign reports both. */
function rateNote({ accounts }: DigestFigures, format: Format): string {
  const { words } = format;
  const { part, attempts } = addRates(accounts.filter(hasFigures).map(({ rates }) => rates.connects));
  if (part !== null) return words.partOfAttempts(format.count(part), format.count(attempts));
  const { connects } = sumUp(accounts);
  return connects === null ? words.notReported : `${format.count(connects)} ${words.counts.connects}`;
}

export function rateChanges(figures: DigestFigures, format: Format): Change[] {
  return comparisons(figures, format).flatMap(({ comparison, comparedWith }) => {
    const change = comparison?.connectRate ?? null;
    return change === null ? [] : [{ change: format.points(change), comparedWith }];
  });
}

function countTile(name: Exclude<CountName, 'connects'>, figures: DigestFigures, format: Format): Tile {
  const totals = sumUp(figures.accounts);
  return {
    title: format.words.tiles[name],
    figure: format.count(totals[name]),
    note: totals[name] === null ? format.words.notReported : shareNote(name, totals, format),
    changes: comparisons(figures, format).flatMap(({ comparison, comparedWith }) => {
      const change = comparison?.changes[name] ?? null;
      return change === null ? [] : [{ change: format.change(change), comparedWith }];
    }),
  };
}

function shareNote(
  name: Exclude<CountName, 'connects'>,
  { campaigns, rates }: ReturnType<typeof sumUp>,
  format: Format,
): string | null {
  if (name === 'attempts') return format.countOf(campaigns, format.words.campaigns);
  const share = rates[name];
  return share === null ? null : format.words.shareOfAttempts(format.rate(share));
}

function comparisons(figures: DigestFigures, format: Format) {
  const typical = format.words.vsTypical(format.longWeekday(figures.day));
  return [
    { comparison: withPeriodBefore(figures), comparedWith: periodWords(figures.period, format).vsBefore },
    { comparison: withTypicalWeekday(figures), comparedWith: typical },
  ];
}

/** Says that the changes cover only some accounts, or that there are none; null if they cover all. */
export function comparedNote(figures: DigestFigures, format: Format): string | null {
  const { compared } = format.words;
  const all = figures.accounts.length;
  const before = withPeriodBefore(figures)?.accounts ?? 0;
  const { every } = figures.period;
  const typical = every === 'day' ? (withTypicalWeekday(figures)?.accounts ?? 0) : all;
  const note = (some: number, days: string) => {
    if (some === all) return [];
    if (some === 0) return [compared.none(days)];
    const accounts = format.words.someOf(format.count(some), format.countOf(all, format.words.accounts));
    return [compared.some(days, accounts)];
  };
  const notes =
    before === typical
      ? note(before, compared.earlierDays)
      : [...note(before, compared.before[every]), ...note(typical, compared.sameWeekday)];
  return notes.length === 0 ? null : notes.join(' ');
}
