import { type Anomaly, unknownAnomalies } from '../../model/anomaly.ts';
import type { Day } from '../../model/day.ts';
import { formatCountOf } from '../../support/english.ts';
import { inTransaction } from '../../warehouse/db/transaction.ts';
import {
  type AlikeDay,
  type MarkedDay,
  readAlikeDays,
  readSharedOnPurpose,
  writeHeldRunDates,
  writeMarks,
} from '../../warehouse/load/same-campaigns.ts';
import type { Run } from '../run/run.ts';
import { provisionalReason } from './describe-anomaly.ts';

/**
 * Marks the days on which accounts have the same campaigns and counts, if they weren't confirmed before this run date
 * (design, *Anomaly*): it takes two, so it is found after the windows. Days that differ by now, or are shared on
 * purpose, lose the mark.
 */
export async function markSameCampaigns(
  { warehouse, runDate, log }: Run,
  days: readonly Day[],
): Promise<void> {
  const [first, last] = [days.toSorted()[0], days.toSorted().at(-1)];
  if (first === undefined) return;
  const marked = await inTransaction(warehouse, async (transaction) => {
    const alike = await readAlikeDays(transaction, first, last!);
    if (alike.length === 0) return [];
    const onPurpose = await readSharedOnPurpose(transaction);
    const marks = marksOf(alike, onPurpose, runDate);
    await writeMarks(transaction, marks);
    await writeHeldRunDates(transaction, heldRunDatesOf(alike, onPurpose, runDate));
    return marks.filter(({ provisional }) => provisional !== null);
  });
  if (marked.length > 0)
    log.warn(
      { days: marked.length },
      `${formatCountOf(marked.length, 'day')} provisional: the same campaigns and counts in several accounts`,
    );
}

/** The days whose mark is to change. */
export function marksOf(
  alike: readonly AlikeDay[],
  onPurpose: readonly (readonly string[])[],
  runDate: Day,
): MarkedDay[] {
  return alike.flatMap((each): MarkedDay[] => {
    const { accountId, day, fetchedAt, name, state, isOver, anomalies, others, sameSinceRunDate } = each;
    const isShared = areOnPurpose([name, ...others], onPurpose);
    const before = anomalies.find(({ code }) => code === 'same_campaigns');
    const wasConfirmed = before === undefined && state === 'loaded' && sameSinceRunDate !== runDate;
    const now: Anomaly[] =
      others.length === 0 || isShared || wasConfirmed ? [] : [{ code: 'same_campaigns', known: false }];
    if (now.length === 0 && before === undefined) return [];
    const all = [...anomalies.filter((anomaly) => anomaly !== before), ...now];
    const isConfirmed = isOver && unknownAnomalies(all).length === 0;
    const provisional = isConfirmed ? null : provisionalReason(isOver, all);
    const isSame = (before === undefined) === (now.length === 0) && (state === 'loaded') === isConfirmed;
    return isSame ? [] : [{ accountId, day, fetchedAt, anomalies: all, provisional }];
  });
}

const areOnPurpose = (names: readonly string[], onPurpose: readonly (readonly string[])[]) =>
  onPurpose.some((dismissed) => names.every((name) => dismissed.includes(name)));

/** A held response that another account has, too, isn't applied by repetition; once it differs, this run date counts as its first. */
function heldRunDatesOf(
  alike: readonly AlikeDay[],
  onPurpose: readonly (readonly string[])[],
  runDate: Day,
): (Pick<AlikeDay, 'accountId' | 'day' | 'fetchedAt'> & { readonly heldRunDate: Day | null })[] {
  return alike.flatMap(({ accountId, day, fetchedAt, name, othersOfHeld, heldRunDate }) => {
    if (othersOfHeld === null) return [];
    const isShared = othersOfHeld.length > 0 && !areOnPurpose([name, ...othersOfHeld], onPurpose);
    if (isShared === (heldRunDate === null)) return [];
    return [{ accountId, day, fetchedAt, heldRunDate: isShared ? null : runDate }];
  });
}
