import type { Day } from '../model/day.ts';
import type { SizeField } from '../model/walk.ts';

/** A complete walk: what its responses counted, and what it listed. */
export type CountedWalk = {
  readonly runDate: Day;
  /** Count fields of the responses (service.md 2.2). */
  readonly counts: Readonly<Record<string, number>>;
  readonly pages: number;
  /** How many ids were listed. */
  readonly ids: number;
};

export type SizeFieldsLearnt = {
  /** All of them, as they are after the walk. */
  readonly fields: readonly SizeField[];
  /** Those among them that this walk dropped. */
  readonly dropped: readonly string[];
};

/**
 * What a complete walk says of the count fields (design: *Complete walk*): one is known to be the list's size once it
 * equalled a walk of several pages; one that disagrees on two run dates is dropped for good. One that agrees in
 * between starts afresh. Incomplete walks say nothing: they may be what is short.
 */
export function learnSizeFields(known: readonly SizeField[], walk: CountedWalk): SizeFieldsLearnt {
  const fields = known.map((field) => compared(field, walk));
  const dropped = fields.filter((field, index) => field.droppedRunDate !== known[index]!.droppedRunDate);
  const isKnown = (name: string) => known.some(({ field }) => field === name);
  const appeared = Object.keys(walk.counts).filter((name) => !isKnown(name) && isProven(name, walk));
  const learnt = appeared.map((field) => ({
    field,
    knownRunDate: walk.runDate,
    disagreedRunDate: null,
    droppedRunDate: null,
  }));
  return { fields: [...fields, ...learnt], dropped: dropped.map(({ field }) => field) };
}

/** Whether a count equals the ids of several pages: the rows of one page could be anything. */
const isProven = (name: string, { counts, pages, ids }: CountedWalk) => pages > 1 && counts[name] === ids;

function compared(known: SizeField, walk: CountedWalk): SizeField {
  const count = walk.counts[known.field];
  if (known.droppedRunDate !== null || count === undefined) return known;
  if (count === walk.ids) return walk.pages > 1 ? { ...known, disagreedRunDate: null } : known;
  if (known.disagreedRunDate === null) return { ...known, disagreedRunDate: walk.runDate };
  return known.disagreedRunDate < walk.runDate ? { ...known, droppedRunDate: walk.runDate } : known;
}
