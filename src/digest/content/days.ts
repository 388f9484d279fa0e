import type { Day } from '../../model/day.ts';
import type { DigestFigures } from '../../model/digest.ts';
import type { Block, Table } from '../blocks.ts';
import { type Format, rate } from '../format.ts';
import type { Facts } from './facts.ts';
import { periodWords } from './period-words.ts';

/** A day of the chart. */
export type ShownDay = {
  readonly day: Day;
  readonly state: 'complete' | 'provisional' | 'incomplete' | 'missing';
  readonly attempts: bigint | null;
  readonly connects: bigint | null;
  /** Connects per attempt, from 0 to 1; null if no campaign reports both. */
  readonly connectRate: number | null;
  /** The day is the digest's own, among others to compare with. */
  readonly emphasised: boolean;
};

/** The days of the chart, from the first that is loaded on. */
export function chartDays({ period, days }: Pick<DigestFigures, 'period' | 'days'>): ShownDay[] {
  const first = days.findIndex(({ loadedDays }) => loadedDays.length > 0);
  if (first === -1) return [];
  return days.slice(first).map((each) => {
    const { day, attempts, connects, rates, loadedDays, lackingDays, provisionalDays } = each;
    const lacking = loadedDays.length === 0 ? 'missing' : 'incomplete';
    const isLacking = loadedDays.length === 0 || lackingDays.length > 0;
    return {
      day,
      state: isLacking ? lacking : provisionalDays.length > 0 ? 'provisional' : 'complete',
      attempts,
      connects,
      connectRate: rate(rates.connects.part, rates.connects.attempts),
      emphasised: period.every !== 'month' && day >= period.from,
    };
  });
}

/** The chart, as a table of its days; none if fewer than three are loaded, too few to compare. */
export function chartBlocks(facts: Facts, format: Format): Block[] {
  const days = chartDays(facts);
  if (days.filter(({ state }) => state !== 'missing').length < 3) return [];
  const { tables, provisionalDay, incompleteDay, notLoaded } = format.words;
  const marks = {
    complete: null,
    provisional: provisionalDay,
    incomplete: incompleteDay,
    missing: notLoaded,
  };
  const table: Table = {
    heading: periodWords(facts.period, format).chart(days.length),
    columns: [tables.columns.day, tables.columns.attempts, tables.columns.connects, tables.columns.connected],
    rows: days.map(({ day, state, attempts, connects }, index) => ({
      title: format.day(day),
      under: marks[state],
      cells: [
        format.count(attempts),
        format.count(connects),
        format.rate(facts.days.at(index - days.length)!.rates.connects),
      ],
    })),
    titles: 'whole',
  };
  return [{ kind: 'chart', table }];
}
