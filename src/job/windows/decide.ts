import { hash } from 'node:crypto';
import {
  type Anomaly,
  type HeldCode,
  type IsAccepted,
  isBesideOthers,
  isSameSign,
  openAnomalies,
} from '../../model/anomaly.ts';
import { isOver, yesterday } from '../../model/day.ts';
import {
  type CampaignRecord,
  type CountName,
  type Counts,
  countNames,
  type Reading,
  type Reject,
  type SummaryEnvelope,
} from '../../model/records.ts';
import type { CurrentDay, CurrentRow, LoadCandidate, LoadDecision } from '../../model/window.ts';
import { countWords, formatCount, formatCountOf } from '../../support/english.ts';
import { compareDay, listedIn, sumUp } from './compare.ts';
import { describeAnomalies, provisionalReason } from './describe-anomaly.ts';
import { catchUpFrom, isBeyondLookback } from './due.ts';

/** The circumstances of a response: its day and run date, the time of its request, its account's zone, the limits of runs. */
type Circumstances = Pick<LoadCandidate, 'day' | 'runDate' | 'accepted'> & {
  /** Just before the request. */
  readonly now: Temporal.Instant;
  /** Zone of the account. */
  readonly timeZone: string;
  readonly lookbackDays: number;
  readonly catchUpDays: number;
};

/** A response with all that the decision on it depends on. */
export function toCandidate(
  summary: Pick<Reading<CampaignRecord>, 'records' | 'rejects' | 'rejectCount' | 'unreadableCounts'> &
    SummaryEnvelope,
  { day, runDate, accepted, now, timeZone, lookbackDays, catchUpDays }: Circumstances,
): LoadCandidate {
  const { records, rejects, rejectCount, unreadableCounts = 0, rows, counts, remarks, emptyBy } = summary;
  const last = yesterday(now, timeZone);
  return {
    day,
    runDate,
    accepted,
    records,
    rejects,
    rejectCount,
    unreadableCounts,
    envelope: { rows, counts, remarks, emptyBy },
    contentHash: contentHash(records),
    unreported: countNames.filter(
      (name) => records.filter((record) => record[name] === null).length * 2 > records.length,
    ),
    isOver: isOver(day, timeZone, now),
    isOutsideCatchUp: day <= catchUpFrom(last, catchUpDays),
    isBeyondLookback: isBeyondLookback(day, last, lookbackDays),
  };
}

/**
 * The load decision for a response (docs/concepts.md, *Anomaly*). Without open anomalies it confirms the day. A doubtful one never
 * replaces a confirmed day: it is held, and what takes campaigns or counts away is applied by a person alone. A day without confirmed
 * figures keeps the fuller of two doubtful responses, as provisional. `reviewDays` then looks at the day beside others.
 */
export function decideLoad(
  current: CurrentDay,
  response: LoadCandidate,
  isAccepted: IsAccepted = () => false,
): LoadDecision {
  const isSame = current.state !== 'failed' && current.contentHash === response.contentHash;
  const isConfirmed = current.state === 'loaded';
  const confirmedBy = (anomaly: Anomaly): Anomaly['confirmedBy'] => {
    if (response.accepted) return 'day';
    const before = isSame ? current.anomalies.find((each) => isSameSign(each, anomaly)) : undefined;
    if (before?.confirmedBy === 'day') return 'day';
    if (isAccepted(anomaly) && !leavesOutMost(anomaly, response)) return 'always';
    // Nothing of the day changes.
    return isConfirmed && isSame ? 'figures' : null;
  };
  const own = [
    ...findAnomalies(current.rows, response),
    // A cached response of the day before; what isn't confirmed is looked at beside the others later.
    ...(isConfirmed && !isSame && response.contentHash === current.hashOfDayBefore ? [sameFigures] : []),
  ].map((anomaly): Anomaly => ({ ...anomaly, confirmedBy: confirmedBy(anomaly) }));
  const besideOthers = isSame && !response.accepted ? current.anomalies.filter(isBesideOthers) : [];
  const anomalies = [...own, ...besideOthers.filter((each) => !own.some((other) => isSameSign(each, other)))];
  const open = openAnomalies(anomalies);
  const rows = current.rows.filter((row) => !row.withdrawn);
  const loss = current.state === 'failed' ? null : lossOf(rows, response);
  // A replay of the loaded response restates nothing: it restores lost rows, or this version reads them differently.
  const isFinal = isConfirmed && !(isSame && current.isReplayOfNewest);
  const apply = (): LoadDecision => ({
    decision: 'apply',
    anomalies,
    provisional: provisionalReason(response.isOver, anomalies),
    change: compareDay(current.rows, response.records, isFinal, response.rejects),
  });
  const because = () => {
    const figures = describeFigures(rows, response.records);
    const isShown = figures !== '' && loss !== null && loss.code !== 'unreported';
    const reason = isShown ? '' : (loss?.text ?? describeAnomalies(open));
    return [reason, figures].filter(Boolean).join(': ');
  };
  const hold = (): LoadDecision => ({
    decision: 'hold',
    anomalies,
    code: loss?.code ?? open[0]!.code,
    because: because(),
  });

  if (!response.isOver || response.accepted || (isConfirmed && isSame)) return apply();
  if (isConfirmed) {
    if (loss?.code === 'emptied' && response.isBeyondLookback && current.isSettled)
      return { decision: 'ignore', anomalies, because: 'the service no longer lists campaigns of that day' };
    return open.length === 0 && loss === null ? apply() : hold();
  }
  const listsNothing = response.records.length + response.rejects.length === 0;
  if ((listsNothing || open.length > 0) && loss !== null && loss.code !== 'unreported') {
    // Only a part of the day is loaded: a person has to know that the whole of it is less.
    if (!current.isOver) return hold();
    return { decision: 'ignore', anomalies, because: because() };
  }
  return apply();
}

const sameFigures: Anomaly = { code: 'same_figures', confirmedBy: null };

/** Nobody can accept for good that most of an answer can't be read. */
const leavesOutMost = ({ code }: Anomaly, { rejectCount, unreadableCounts, envelope }: LoadCandidate) =>
  (code === 'unreadable' && rejectCount * 2 > envelope.rows) ||
  (code === 'unreadable_counts' && unreadableCounts * 2 > envelope.rows);

/** The loss for a day if a response were applied: it would empty, halve or zero it, or leave a count unreported. */
type Loss = { readonly code: HeldCode; readonly text: string };

function lossOf(
  current: readonly CurrentRow[],
  { records, rejects }: Pick<LoadCandidate, 'records' | 'rejects'>,
): Loss | null {
  if (current.length === 0) return null;
  if (records.length + rejects.length === 0)
    return {
      code: 'emptied',
      text: `no campaign instead of ${current.length}`,
    };
  const isListed = listedIn(records, rejects);
  const dropped = current.filter((row) => !isListed(row.callsetId)).length;
  if (dropped * 2 > current.length)
    return {
      code: 'halved',
      text: `it lacks ${dropped} of ${formatCountOf(current.length, 'campaign')}`,
    };
  const reported = countNames.map((name) => unreportedReason(name, current, records, rejects));
  const unreported = reported.find((reason) => reason !== null);
  if (unreported !== undefined) return { code: 'unreported', text: unreported };
  if (current.some(hasCalls) && rejects.length === 0 && !records.some(hasCalls))
    return { code: 'zeroed', text: 'it turns all counts to 0' };
  return null;
}

/** `38 attempts instead of 120, 1 campaign instead of 4`: what the response has instead of the day; empty if that is the same. */
function describeFigures(rows: readonly Counts[], records: readonly Counts[]): string {
  const figures = [
    ['attempt', sumUp(records).counts.attempts, sumUp(rows).counts.attempts],
    ['campaign', `${records.length}`, `${rows.length}`],
  ] as const;
  return figures
    .flatMap(([noun, now, before]) =>
      now === null || before === null || now === before
        ? []
        : `${formatCountOf(now, noun)} instead of ${formatCount(before)}`,
    )
    .join(', ');
}

/** Null is not 0: a response that omits a count which most current rows report removes it. */
function unreportedReason(
  name: CountName,
  current: readonly CurrentRow[],
  records: readonly CampaignRecord[],
  rejects: LoadCandidate['rejects'],
): string | null {
  const reporting = current.filter((row) => row[name] !== null);
  if (reporting.length * 2 <= current.length) return null;
  const byId = new Map(records.map((record) => [record.callsetId, record]));
  const isListed = listedIn(records, rejects);
  const left = reporting.filter(({ callsetId }) => byId.get(callsetId)?.[name] === null).length;
  const dropped = reporting.filter(({ callsetId }) => !isListed(callsetId)).length;
  if (left === 0 || (left + dropped) * 2 <= reporting.length) return null;
  return `${countWords[name]} not reported for ${left} of ${formatCountOf(current.length, 'campaign')}`;
}

const hasCalls = (counts: Counts) => countNames.some((name) => (counts[name] ?? 0) > 0);

/** The anomalies of a response itself, with nothing yet that confirms them. */
function findAnomalies(
  current: readonly CurrentRow[],
  { records, rejects, unreadableCounts, envelope }: LoadCandidate,
): Anomaly[] {
  const confirmedBy = null;
  const { rows, counts, remarks, emptyBy } = envelope;
  const announced = Object.entries(counts).filter(([, count]) => count !== rows);
  const loaded = [...records, ...current.filter(({ withdrawn }) => !withdrawn)];
  const unread = rejects.filter((reject) => !loaded.some((row) => repeats(reject, row)));
  return [
    ...remarks.map((sign): Anomaly => ({ code: 'remark', sign, confirmedBy })),
    ...(emptyBy === null ? [] : [{ code: 'empty', sign: emptyBy, confirmedBy } as const]),
    ...announced.map(
      ([field, count]): Anomaly => ({
        code: 'announced',
        field,
        announced: count,
        listed: rows,
        confirmedBy,
      }),
    ),
    ...[...Map.groupBy(unread, ({ reason }) => reason)].map(
      ([reason, { length }]): Anomaly => ({ code: 'unreadable', reason, records: length, confirmedBy }),
    ),
    ...(unreadableCounts > 0
      ? [{ code: 'unreadable_counts', campaigns: unreadableCounts, confirmedBy } as const]
      : []),
  ];
}

/** Returns whether a record that can't be read is about a campaign that is loaded. */
function repeats({ id, payload }: Reject, row: CampaignRecord): boolean {
  if (id !== null) return id === row.callsetId;
  try {
    const { campaign, attempts, busies, connects, liveanswers } = Object(JSON.parse(payload));
    const counts = [attempts, busies, connects, liveanswers];
    return campaign === row.campaign && countNames.every((name, index) => counts[index] === row[name]);
  } catch {
    // A long one is cut, and no JSON any more.
    return false;
  }
}

/**
 * SHA-256 (hex) over the ids and four counts of a response, sorted by id. Names, extra fields and the order of
 * the records don't change it: they don't settle, restate or hold a day.
 */
export function contentHash(records: readonly CampaignRecord[]): string {
  const lines = [...records]
    .sort((one, other) => one.callsetId - other.callsetId)
    .map(
      ({ callsetId, attempts, busies, connects, liveAnswers }) =>
        `[${callsetId},${attempts},${busies},${connects},${liveAnswers}]`,
    );
  return hash('sha256', lines.join('\n'));
}
