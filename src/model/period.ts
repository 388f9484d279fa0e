import { addDays, type Day, daysBetween } from './day.ts';

/** The rhythm of a digest, and its period. */
export const everyChoices = ['day', 'week', 'month'] as const;
export type Every = (typeof everyChoices)[number];

/**
 * A day, a week from Monday or a calendar month, by its first and last day. The last one identifies its digest.
 */
export type Period = { readonly every: Every; readonly from: Day; readonly to: Day };

/** The period that contains `day`. */
export function periodOf(every: Every, day: Day): Period {
  const date = Temporal.PlainDate.from(day);
  if (every === 'day') return { every, from: day, to: day };
  const first = every === 'week' ? date.subtract({ days: date.dayOfWeek - 1 }) : date.with({ day: 1 });
  const last = first.add(every === 'week' ? { weeks: 1 } : { months: 1 }).subtract({ days: 1 });
  return { every, from: first.toString(), to: last.toString() };
}

export const periodBefore = ({ every, from }: Period): Period => periodOf(every, addDays(from, -1));

/** The last days of the periods that end from `first` to `last`, in their order. */
export function endsBetween(every: Every, first: Day, last: Day): Day[] {
  const ends: Day[] = [];
  for (let { to } = periodOf(every, first); to <= last; { to } = periodOf(every, addDays(to, 1)))
    ends.push(to);
  return ends;
}

/** Every day of a period, the first and the last included. */
export const daysOf = ({ from, to }: Pick<Period, 'from' | 'to'>): Day[] => daysBetween(from, to);

/** A period's name in logs and commands: `2026-11-19`, `the week of 2026-11-16`, `2026-11`. */
export function periodName({ every, from }: Period): string {
  if (every === 'day') return from;
  return every === 'week' ? `the week of ${from}` : from.slice(0, 7);
}

/** The key of a digest in the outbox: `day` is the last of its period. */
export type DigestKey = { readonly name: string; readonly every: Every; readonly day: Day };

/** `Campaigns of 2026-11-19`, `Coast of the week of 2026-11-16`. */
export const digestName = ({ name, every, day }: DigestKey): string =>
  `${name} of ${periodName(periodOf(every, day))}`;
