import { type Anomaly, isSharedOnPurpose, unknownAnomalies } from '../../model/anomaly.ts';
import { addDays, type Day } from '../../model/day.ts';
import type { CampaignRecord, Counts } from '../../model/records.ts';
import type { EarlierDay } from '../../model/window.ts';
import { formatCountOf } from '../../support/english.ts';
import { readEarlierDays } from '../../warehouse/archive/read-archive.ts';
import { inTransaction } from '../../warehouse/db/transaction.ts';
import {
  type AlikeDay,
  dropHeld,
  type LoadedDay,
  type MarkedDay,
  type RepeatedDay,
  readAlikeDays,
  readDismissedRecords,
  readRepeatedDays,
  readSharedOnPurpose,
  readWaitingDays,
  type WaitingDay,
  writeMarks,
} from '../../warehouse/load/marks.ts';
import type { KnownAccount } from '../run/accounts.ts';
import { toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';
import { contentHash } from './decide.ts';
import { provisionalReason } from './describe-anomaly.ts';
import { catchUpFrom } from './due.ts';
import { isKnown } from './known.ts';

/**
 * Looks at days again after the windows, with what all accounts and days have by now (design, *Anomaly*): the same campaigns as
 * another account, the same figures as the day before, and anomalies that turn out to be the way of a service. It marks days
 * provisional, and confirms days that it alone kept provisional, however old.
 *
 * @param days those that were loaded
 * @param accounts theirs, which are requested once more if figures repeat; none in a replay
 */
export async function reviewDays(
  run: Run,
  days: readonly Day[],
  accounts: readonly KnownAccount[],
): Promise<void> {
  const [first, last] = [days.toSorted()[0], days.toSorted().at(-1)];
  if (first === undefined) return;
  const { warehouse, runDate, log, config } = run;
  const lastChance = catchUpFrom(addDays(runDate, -1), config.planning.catchUpDays);
  const repeated = await inTransaction(warehouse, async (transaction) => {
    const onPurpose = await readSharedOnPurpose(transaction);
    const alike = sharedMarks(await readAlikeDays(transaction, first, last!), onPurpose, runDate);
    await writeMarks(transaction, alike, lastChance);
    const repeated = repeatedMarks(await readRepeatedDays(transaction, first, last!));
    await writeMarks(transaction, repeated, lastChance);
    logMarked(alike, 'the same campaigns and counts in several accounts');
    logMarked(repeated, 'the same campaigns and counts as the day before or after');
    return await readRepeatedDays(transaction, first, last!);
  });
  const explained = await explainRepeated(run, repeated, accounts);
  await inTransaction(warehouse, async (transaction) => {
    await writeMarks(transaction, explained, lastChance);
    const waiting = await readWaitingDays(transaction);
    if (waiting.length === 0) return;
    const accountIds = [...new Set(waiting.map(({ accountId }) => accountId))];
    const responses = await readEarlierDays(transaction, { accountIds, day: null, through: runDate });
    const earlier = Map.groupBy(responses, ({ accountId }) => accountId);
    const known = knownMarks(waiting, earlier, await readDismissedRecords(transaction));
    await writeMarks(transaction, known, lastChance);
    await dropHeld(transaction, heldForKnownAlone(waiting, earlier));
    const confirmed = known.filter(({ provisional }) => provisional === null).length;
    if (confirmed > 0)
      log.info(
        { days: confirmed },
        `${formatCountOf(confirmed, 'day')} confirmed: what spoke against them is the way of the service, or was dismissed`,
      );
  });

  function logMarked(marks: readonly MarkedDay[], why: string): void {
    const marked = marks.filter(({ provisional }) => provisional !== null).length;
    if (marked > 0) log.warn({ days: marked }, `${formatCountOf(marked, 'day')} provisional: ${why}`);
  }
}

/** The days whose mark for the same campaigns is to change: those that weren't confirmed before this run date get it. */
export function sharedMarks(
  alike: readonly AlikeDay[],
  onPurpose: readonly (readonly string[])[],
  runDate: Day,
): MarkedDay[] {
  return alike.flatMap((day): MarkedDay[] => {
    const { name, state, anomalies, others, sameSinceRunDate } = day;
    const isShared = isSharedOnPurpose([name, ...others], onPurpose);
    const before = anomalies.find(({ code }) => code === 'same_campaigns');
    const wasConfirmed = before === undefined && state === 'loaded' && sameSinceRunDate !== runDate;
    const now: Anomaly[] =
      others.length === 0 || isShared || wasConfirmed ? [] : [{ code: 'same_campaigns', known: false }];
    if ((before === undefined) === (now.length === 0)) return [];
    return marked(day, [...anomalies.filter((anomaly) => anomaly !== before), ...now]);
  });
}

/** The days whose mark for the same figures is to change. It takes two, so both are marked; an explained one stays explained. */
export function repeatedMarks(repeated: readonly RepeatedDay[]): MarkedDay[] {
  return repeated.flatMap((day): MarkedDay[] => {
    const before = day.anomalies.find(({ code }) => code === 'same_figures');
    if ((before === undefined) === (day.twin === null)) return [];
    const others = day.anomalies.filter((anomaly) => anomaly !== before);
    return marked(
      day,
      day.twin === null ? others : [...others, { code: 'same_figures', datesIgnored: false, known: false }],
    );
  });
}

/**
 * Requests two days with the same figures as one range, once for each account: their sum explains them, and the figures of one
 * day prove that the service ignores dates. Anything else decides nothing, and the next run requests it again.
 */
async function explainRepeated(
  run: Run,
  repeated: readonly RepeatedDay[],
  accounts: readonly KnownAccount[],
): Promise<MarkedDay[]> {
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const explained: MarkedDay[] = [];
  for (const [accountId, days] of Map.groupBy(repeated, (day) => day.accountId)) {
    const account = byId.get(accountId);
    const open = days.filter(({ anomalies }) => openSameFigures(anomalies) !== undefined);
    const newest = open.findLast(({ anomalies, twin }) => {
      return twin !== null && openSameFigures(anomalies)?.datesIgnored === false;
    });
    if (account === undefined || newest === undefined) continue;
    const [from, to] = [newest.day, newest.twin!].sort() as [Day, Day];
    const result = await compareRange(run, account, { from, to }, newest.contentHash);
    if (result === null) continue;
    for (const day of open) {
      const anomalies = day.anomalies.map((anomaly) =>
        anomaly.code === 'same_figures' ? { ...anomaly, ...result } : anomaly,
      );
      explained.push(...marked(day, anomalies));
    }
  }
  return explained;
}

const openSameFigures = (anomalies: readonly Anomaly[]) =>
  unknownAnomalies(anomalies).find((anomaly) => anomaly.code === 'same_figures');

async function compareRange(
  run: Run,
  account: KnownAccount,
  range: { readonly from: Day; readonly to: Day },
  ofOneDay: string,
): Promise<{ readonly known: boolean; readonly datesIgnored: boolean } | null> {
  const subject = `account ${account.name}, campaigns of ${range.from} to ${range.to}`;
  try {
    using summary = await run.service.summarizeCampaigns(account, range);
    if (contentHash(summary.records) === ofOneDay) return { known: false, datesIgnored: true };
    const isSum = contentHash(summary.records.map(halved)) === ofOneDay;
    return isSum ? { known: true, datesIgnored: false } : null;
  } catch (error) {
    const failure = toItemFailure(error, run, subject);
    run.log.warn({ account: account.name }, `${subject}: ${failure.detail}: the next run requests it again`);
    return null;
  }
}

const halved = (record: CampaignRecord): CampaignRecord => {
  const half = (count: Counts['attempts']) => (count === null ? null : count / 2);
  return {
    ...record,
    attempts: half(record.attempts),
    busies: half(record.busies),
    connects: half(record.connects),
    liveAnswers: half(record.liveAnswers),
  };
};

/**
 * The days whose anomalies are known by now: the way of the service, or records that somebody dismissed.
 *
 * @param dismissed accounts and reasons: `north campaigns not a number`
 */
export function knownMarks(
  waiting: readonly WaitingDay[],
  earlier: ReadonlyMap<number, readonly EarlierDay[]>,
  dismissed: ReadonlySet<string>,
): MarkedDay[] {
  return waiting.flatMap((day): MarkedDay[] => {
    if (day.state !== 'provisional') return [];
    const isDismissed =
      day.rejectReasons.length > 0 &&
      day.rejectReasons.every((reason) => dismissed.has(`${day.name} campaigns ${reason}`));
    const anomalies = day.anomalies.map((anomaly) =>
      (anomaly.code === 'unreadable' && isDismissed) ||
      isKnown(anomaly, day.day, earlier.get(day.accountId) ?? [])
        ? { ...anomaly, known: true }
        : anomaly,
    );
    return unknownAnomalies(anomalies).length === unknownAnomalies(day.anomalies).length
      ? []
      : marked(day, anomalies);
  });
}

/** The days that hold a response for nothing but what is known by now. */
export function heldForKnownAlone(
  waiting: readonly WaitingDay[],
  earlier: ReadonlyMap<number, readonly EarlierDay[]>,
): WaitingDay[] {
  return waiting.filter(({ accountId, day, held }) => {
    const isForAnomaly = held?.anomalies?.some(({ code }) => code === held.code) === true;
    const days = earlier.get(accountId) ?? [];
    return isForAnomaly && unknownAnomalies(held.anomalies).every((anomaly) => isKnown(anomaly, day, days));
  });
}

/** The day with other anomalies; nothing if they change nothing. */
function marked(day: LoadedDay, anomalies: readonly Anomaly[]): MarkedDay[] {
  const { accountId, fetchedAt, isOver } = day;
  const isConfirmed = isOver && unknownAnomalies(anomalies).length === 0;
  const provisional = isConfirmed ? null : provisionalReason(isOver, anomalies);
  if (JSON.stringify(anomalies) === JSON.stringify(day.anomalies)) return [];
  return [{ accountId, day: day.day, fetchedAt, anomalies, provisional }];
}
