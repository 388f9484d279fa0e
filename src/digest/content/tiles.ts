import type { DigestFigures } from '../../model/digest.ts';
import type { CountName } from '../../model/records.ts';
import type { Format } from '../format.ts';
import type { Change, Tile } from './content.ts';
import { periodWords } from './period-words.ts';
import { type Comparison, hasFigures, sumUp, withPeriodBefore, withTypicalWeekday } from './totals.ts';

const titles = [
  ['attempts', 'Attempts'],
  ['connects', 'Connects'],
  ['liveAnswers', 'Live answers'],
  ['busies', 'Busies'],
] as const;

/** The four sums, each with its change against the period before and, of a day, a typical weekday. */
export function tiles(figures: DigestFigures, format: Format): Tile[] {
  const totals = sumUp(figures.accounts);
  const loaded = figures.accounts.some(hasFigures);
  const before = withPeriodBefore(figures);
  const typical = withTypicalWeekday(figures);
  const onBefore = `on ${periodWords(figures.period, format).before}`;
  const share = (name: CountName) => {
    if (name === 'attempts') return format.countOf(totals.campaigns, 'campaign');
    const part = totals.rates[name];
    return part === null ? null : `${format.rate(part)} of attempts`;
  };
  return titles.map(([name, title]) => ({
    title,
    figure: format.count(loaded ? totals[name] : null),
    note: loaded ? share(name) : null,
    changes: [
      ...changeOf(name, before, onBefore, format),
      ...changeOf(name, typical, `on the usual ${format.weekday(figures.day)}`, format),
    ],
  }));
}

function changeOf(name: CountName, comparison: Comparison | null, on: string, format: Format): Change[] {
  const change = comparison?.changes[name] ?? null;
  if (change === null) return [];
  const { now, reference } = change;
  if (reference === 0) return [{ by: now === 0n ? format.change(0) : 'from 0', on }];
  return [{ by: format.change(Number(now) / reference - 1), on }];
}

/** How many accounts the changes cover, if not all of them, or that there is nothing to compare with. */
export function comparedNote(figures: DigestFigures): string | null {
  if (!figures.accounts.some(hasFigures)) return null;
  const all = figures.accounts.length;
  const { every } = figures.period;
  const before = withPeriodBefore(figures)?.accounts ?? 0;
  if (every !== 'day') return before === all ? null : compared(before, all, `the ${every} before`);
  const typical = withTypicalWeekday(figures)?.accounts ?? 0;
  if (before === all && typical === all) return null;
  if (before === typical) return compared(before, all, 'the earlier days');
  return [
    before === all ? null : compared(before, all, 'the day before'),
    typical === all ? null : compared(typical, all, 'that weekday in the four weeks before'),
  ]
    .filter((sentence) => sentence !== null)
    .join(' ');
}

function compared(some: number, all: number, days: string): string {
  if (some === 0) return `Not compared with ${days}: too little is loaded.`;
  return `Compared with ${days}: ${some} of ${all} accounts, those that have both.`;
}
