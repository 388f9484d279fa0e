import type { Accepted } from '../../model/accepted.ts';
import {
  type Anomaly,
  acceptedFor,
  type IsAccepted,
  isBesideOthers,
  isSameSign,
  openAnomalies,
} from '../../model/anomaly.ts';
import { addDays, type Day, weekdayOf } from '../../model/day.ts';
import { formatCountOf } from '../../support/english.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { inTransaction } from '../../warehouse/db/transaction.ts';
import type { WindowKey } from '../../warehouse/ledger/window-entry.ts';
import {
  type MarkedDay,
  type ReviewedDay,
  readProvisionalDays,
  readReviewedDays,
  writeMarks,
} from '../../warehouse/load/reviewed-days.ts';
import type { Run } from '../run/run.ts';
import { provisionalReason } from './describe-anomaly.ts';
import { catchUpFrom } from './due.ts';

type Reviewing = Pick<Run, 'warehouse' | 'runDate' | 'config' | 'log'> & {
  readonly signs: Pick<Run['signs'], 'accepted'>;
};

/**
 * Looks at all days within `CATCH_UP_DAYS` beside each other, after the windows and in ledger rows alone: counts that went missing, no
 * calls, the same figures (docs/concepts.md, *Anomaly*). The order of loading doesn't matter, and what a killed run leaves, the next
 * one does.
 *
 * @param acceptedDays those that a person has just accepted as they are
 */
export async function reviewDays(
  { warehouse, runDate, config, log, signs }: Reviewing,
  acceptedDays: readonly WindowKey[] = [],
): Promise<void> {
  const { catchUpDays } = config.planning;
  const { accepted } = signs;
  const from = addDays(runDate, -catchUpDays);
  const marked = await inTransaction(warehouse, async (transaction) => {
    const days = await readReviewedDays(transaction, from);
    const marks = [...Map.groupBy(days, ({ accountId }) => accountId).values()].flatMap((own) =>
      reviewAccount(own, {
        from,
        runDate,
        accepted,
        acceptedDays: acceptedDays
          .filter(({ accountId }) => accountId === own[0]!.accountId)
          .map(({ day }) => day),
      }),
    );
    await writeMarks(transaction, marks, catchUpFrom(addDays(runDate, -1), catchUpDays));
    return marks;
  });
  const provisional = marked.filter((each) => each.provisional !== null);
  for (const [reason, { length }] of Map.groupBy(provisional, (each) => each.provisional))
    log.warn({ days: length }, `${formatCountOf(length, 'day')} provisional: ${reason}`);
}

/** The days, however old, that are provisional for nothing but what is accepted. */
export async function daysToConfirm(
  queries: Queries,
  accepted: readonly Accepted[],
): Promise<readonly ReviewedDay[]> {
  const days = await readProvisionalDays(queries);
  return days.filter((day) => openAnomalies(confirmedNow(day, accepted)).length === 0);
}

/** Confirms the days, however old, that are provisional for nothing but what is accepted. */
export async function confirmAccepted({ warehouse, runDate, config, signs }: Reviewing): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    const days = await daysToConfirm(transaction, signs.accepted);
    await writeMarks(
      transaction,
      days.map((day) => ({ ...day, anomalies: confirmedNow(day, signs.accepted), provisional: null })),
      catchUpFrom(addDays(runDate, -1), config.planning.catchUpDays),
    );
  });
}

const confirmedNow = ({ anomalies, account }: ReviewedDay, accepted: readonly Accepted[]): Anomaly[] =>
  anomalies.map((anomaly) =>
    anomaly.confirmedBy === null && acceptedFor(accepted, account)(anomaly)
      ? { ...anomaly, confirmedBy: 'always' }
      : anomaly,
  );

type Review = {
  readonly from: Day;
  readonly runDate: Day;
  readonly accepted: readonly Accepted[];
  readonly acceptedDays?: readonly Day[];
};

/**
 * The days of an account from `from` on whose anomalies change, or what confirms them. Each day is compared with what is confirmed by
 * then, so the oldest comes first.
 *
 * @param days oldest first
 */
export function reviewAccount(
  days: readonly ReviewedDay[],
  { from, runDate, accepted, acceptedDays = [] }: Review,
): MarkedDay[] {
  const isAccepted = acceptedFor(accepted, days[0]!.account);
  const byDay = new Map(days.map((day) => [day.day, day]));
  const lastListed = days.findLast(({ campaigns }) => campaigns > 0)?.day ?? '';
  const harmless = days.flatMap(({ anomalies, syncedRunDate }) =>
    syncedRunDate === runDate
      ? anomalies.filter(({ code, confirmedBy }) => code === 'remark' && confirmedBy === 'figures')
      : [],
  );
  const confirmed: ReviewedDay[] = days.filter(({ day, state }) => day < from && state === 'loaded');
  const marked: MarkedDay[] = [];

  for (const day of days) {
    if (day.day < from || !day.isOver) continue;
    const own = day.anomalies.filter((anomaly) => !isBesideOthers(anomaly));
    const found = [
      ...own.map((anomaly) => reconsidered(anomaly, isAccepted, harmless)),
      ...besideOthers(day, byDay, confirmed).map((anomaly): Anomaly => {
        const earlier = day.anomalies.find((each) => isSameSign(each, anomaly));
        if (acceptedDays.includes(day.day)) return { ...anomaly, confirmedBy: 'day' };
        const isDecided = anomaly.code === 'no_calls' && isRepeated(day) && day.day < lastListed;
        return {
          ...reconsidered(earlier ?? anomaly, isAccepted, []),
          ...(earlier?.confirmedBy == null && isDecided && { confirmedBy: 'repetition' }),
        };
      }),
    ];
    const provisional = provisionalReason(true, found);
    const state = provisional === null ? 'loaded' : 'provisional';
    if (state === 'loaded') confirmed.push({ ...day, anomalies: found });
    if (state !== day.state || JSON.stringify(found) !== JSON.stringify(day.anomalies))
      marked.push({ ...day, anomalies: found, provisional });
  }
  return marked;
}

/** What a person accepted for good counts as long as she doesn't take it back. */
function reconsidered(anomaly: Anomaly, isAccepted: IsAccepted, harmless: readonly Anomaly[]): Anomaly {
  const { confirmedBy } = anomaly;
  if (confirmedBy !== null && confirmedBy !== 'always') return anomaly;
  if (isAccepted(anomaly)) return { ...anomaly, confirmedBy: 'always' };
  return { ...anomaly, confirmedBy: harmless.some((each) => isSameSign(each, anomaly)) ? 'figures' : null };
}

/** A later run date returned the documented answer again: an accepted one may be an error that says the same. */
const isRepeated = ({ sameSinceRunDate, syncedRunDate, anomalies }: ReviewedDay): boolean =>
  sameSinceRunDate !== null &&
  syncedRunDate !== null &&
  sameSinceRunDate < syncedRunDate &&
  anomalies.every(({ code }) => code !== 'empty');

/** @param confirmed days, oldest first */
function besideOthers(
  day: ReviewedDay,
  byDay: ReadonlyMap<Day, ReviewedDay>,
  confirmed: readonly ReviewedDay[],
): Anomaly[] {
  const found: Anomaly[] = [];
  const lastSeven = confirmed.filter(({ campaigns }) => campaigns > 0).slice(-7);
  for (const count of day.campaigns > 0 ? day.unreported : [])
    if (lastSeven.filter(({ unreported }) => !unreported.includes(count)).length * 2 > lastSeven.length)
      found.push({ code: 'missing_counts', count, confirmedBy: null });
  const lastTwo = confirmed.filter((each) => weekdayOf(each.day) === weekdayOf(day.day)).slice(-2);
  const isUnreadable = day.anomalies.some(({ code }) => code === 'unreadable');
  if (!day.hasCalls && !isUnreadable && lastTwo.length === 2 && lastTwo.every((each) => each.hasCalls))
    found.push({ code: 'no_calls', confirmedBy: null });
  if (day.isDistinct && hasFiguresOfDayBeside(day, byDay))
    found.push({ code: 'same_figures', confirmedBy: null });
  return found;
}

/** Dates without effect make both days wrong. Of a cached response, the day that had the figures first is right. */
function hasFiguresOfDayBeside(day: ReviewedDay, byDay: ReadonlyMap<Day, ReviewedDay>): boolean {
  const [before, after] = [byDay.get(addDays(day.day, -1)), byDay.get(addDays(day.day, 1))];
  if (before?.isOver && [before.contentHash, before.heldHash].includes(day.contentHash)) return true;
  if (!after?.isOver || after.contentHash !== day.contentHash) return false;
  return (day.sameSinceRunDate ?? '') >= (after.sameSinceRunDate ?? '');
}
