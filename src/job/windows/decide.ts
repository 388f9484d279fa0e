import { hash } from 'node:crypto';
import { type Anomaly, type HeldCode, unknownAnomalies } from '../../model/anomaly.ts';
import { addDays, isOver, yesterday } from '../../model/day.ts';
import {
  type CampaignRecord,
  type CountName,
  type Counts,
  countNames,
  type Reject,
  type SummaryEnvelope,
} from '../../model/records.ts';
import type {
  ConfirmedDay,
  CurrentDay,
  CurrentRow,
  LoadCandidate,
  LoadDecision,
} from '../../model/window.ts';
import { formatCountOf } from '../../support/english.ts';
import { compareDay, listedIn } from './compare.ts';
import { countWords, describeAnomalies, provisionalReason } from './describe-anomaly.ts';
import { earliestDue, isBeyondLookback } from './due.ts';

/** When a response for a day was fetched, and for whom. */
type Circumstances = Pick<LoadCandidate, 'day' | 'runDate' | 'accepted'> & {
  /** Just before the request. */
  readonly now: Temporal.Instant;
  /** The account's. */
  readonly timeZone: string;
  readonly lookbackDays: number;
  readonly catchUpDays: number;
};

/** A response with all that the decision on it depends on. */
export function toCandidate(
  summary: Pick<LoadCandidate, 'records' | 'rejects' | 'rejectCount' | 'inPart'> & SummaryEnvelope,
  { day, runDate, accepted, now, timeZone, lookbackDays, catchUpDays }: Circumstances,
): LoadCandidate {
  const { records, rejects, rejectCount, inPart = 0, rows, counts, notice, unfinished, noList } = summary;
  const last = yesterday(now, timeZone);
  const knownSince = earliestDue(last, catchUpDays);
  return {
    day,
    runDate,
    accepted,
    records,
    rejects,
    rejectCount,
    inPart,
    envelope: { rows, counts, notice, unfinished, noList },
    contentHash: contentHash(records),
    unreported: countNames.filter(
      (name) => records.filter((record) => record[name] === null).length * 2 > records.length,
    ),
    hasCalls: records.some(hasCalls),
    isOver: isOver(day, timeZone, now),
    isLastChance: day <= knownSince,
    isBeyondLookback: isBeyondLookback(day, last, lookbackDays),
    knownSince,
  };
}

/**
 * The load decision for a response (design, *Anomaly*). Without anomalies it confirms the day. A doubtful one never
 * replaces a confirmed day: it is held; a day without confirmed figures it loads as provisional. The same again on a later
 * run date confirms, and so does a person.
 *
 * @param confirmed what earlier run dates confirmed, as `needsConfirmed` asks for it
 */
export function decideLoad(
  current: CurrentDay,
  response: LoadCandidate,
  confirmed: readonly ConfirmedDay[] = [],
): LoadDecision {
  const isSame = current.state !== 'failed' && current.contentHash === response.contentHash;
  // It takes two: only a later look at all accounts takes this mark away, or a person.
  const shared =
    isSame && !response.accepted ? current.anomalies.filter(({ code }) => code === 'same_campaigns') : [];
  const anomalies = [...shared, ...findAnomalies(current.rows, response, confirmed)];
  const unknown = unknownAnomalies(anomalies);
  const rows = current.rows.filter((row) => !row.withdrawn);
  const loss = current.state === 'loaded' ? lossOf(rows, response) : null;
  // Rows that were lost, or are read otherwise by now, are no news.
  const isFinal = current.state === 'loaded' && !(isSame && current.isReplayOfNewest);
  const apply = (isConfirmed: boolean): LoadDecision => ({
    decision: 'apply',
    anomalies,
    provisional: isConfirmed ? null : provisionalReason(response.isOver, anomalies),
    change: compareDay(current.rows, response.records, isFinal, response.rejects),
  });
  if (!response.isOver) return apply(false);
  if (unknown.length === 0 && loss === null) return apply(true);
  // Nothing of a confirmed day would change.
  if (current.state === 'loaded' && loss === null && isSame) return apply(true);
  if (loss?.isEmpty && response.isBeyondLookback && current.isSettled && !response.accepted)
    return { decision: 'keep', anomalies };
  const isForPerson = loss?.isOfRows === true && response.isBeyondLookback && !response.accepted;
  if (!isForPerson && shared.length === 0 && isRepeated(current, response)) return apply(true);
  if (current.state !== 'loaded') return apply(false);
  const reason = loss?.text ?? describeAnomalies(unknown);
  return {
    decision: 'hold',
    anomalies,
    code: loss?.code ?? unknown[0]!.code,
    because: `${reason} (${describeRows(response.records)} instead of ${describeRows(rows)})`,
  };
}

/** The same response came on an earlier run date, or a person accepts it. */
function isRepeated(current: CurrentDay, { contentHash, runDate, accepted }: LoadCandidate): boolean {
  const isEarlier = (date: string | null) => accepted || (date !== null && date < runDate);
  if (current.state === 'loaded') return current.heldHash === contentHash && isEarlier(current.heldRunDate);
  return current.contentHash === contentHash && current.isOver && isEarlier(current.sameSinceRunDate);
}

/** What a response takes away from a confirmed day. Of rows: it would empty, halve or zero the day. */
type Loss = {
  readonly code: HeldCode;
  readonly text: string;
  readonly isEmpty: boolean;
  readonly isOfRows: boolean;
};

function lossOf(
  current: readonly CurrentRow[],
  { records, rejects }: Pick<LoadCandidate, 'records' | 'rejects'>,
): Loss | null {
  if (current.length === 0) return null;
  const ofRows = (code: HeldCode, text: string) => ({ code, text, isEmpty: false, isOfRows: true });
  if (records.length + rejects.length === 0)
    return {
      ...ofRows('emptied', `it would empty a day of ${formatCountOf(current.length, 'campaign')}`),
      isEmpty: true,
    };
  const isListed = listedIn(records, rejects);
  const dropped = current.filter((row) => !isListed(row.callsetId)).length;
  if (dropped * 2 > current.length)
    return ofRows('halved', `it lacks ${dropped} of ${formatCountOf(current.length, 'campaign')}`);
  const reported = countNames.map((name) => unreportedReason(name, current, records, rejects));
  const unreported = reported.find((reason) => reason !== null);
  if (unreported !== undefined)
    return { code: 'unreported', text: unreported, isEmpty: false, isOfRows: false };
  if (current.some(hasCalls) && rejects.length === 0 && !records.some(hasCalls))
    return ofRows('zeroed', 'it turns all counts to 0');
  return null;
}

/** `20 campaigns, 12,345 attempts, 678 connects` */
function describeRows(rows: readonly Counts[]): string {
  const campaigns = formatCountOf(rows.length, 'campaign');
  if (rows.length === 0) return campaigns;
  const sums = (['attempts', 'connects'] as const).map((name) => {
    const reported = rows.flatMap((row) => row[name] ?? []);
    const sum = reported.reduce((total, count) => total + BigInt(count), 0n).toString();
    return reported.length === 0 ? `${name} not reported` : formatCountOf(sum, name.slice(0, -1));
  });
  return [campaigns, ...sums].join(', ');
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
  return `it leaves ${countWords[name]} unreported for ${left} of ${formatCountOf(current.length, 'campaign')}`;
}

const hasCalls = (counts: Counts) => countNames.some((name) => (counts[name] ?? 0) > 0);

/** Whether an anomaly of the response may depend on days that earlier run dates confirmed. */
export const needsConfirmed = (response: LoadCandidate): boolean =>
  findAnomalies([], response, []).length > 0 || response.unreported.length > 0 || !response.hasCalls;

function findAnomalies(
  current: readonly CurrentRow[],
  response: LoadCandidate,
  confirmed: readonly ConfirmedDay[],
): Anomaly[] {
  const { day, records, rejects, inPart = 0, envelope } = response;
  const announced = Math.max(0, ...Object.values(envelope.counts));
  const loaded = [...records, ...current.filter(({ withdrawn }) => !withdrawn)];
  const unread = rejects.filter(
    (reject) => !reject.isTotal && !loaded.some((row) => repeats(reject, row)),
  ).length;
  const lastWeek = confirmed.filter(
    (each) => each.rows > 0 && each.day >= addDays(day, -7) && each.day < day,
  );
  const unreported = response.unreported.filter(
    (name) => lastWeek.filter((each) => !each.unreported.includes(name)).length * 2 > lastWeek.length,
  );
  const isSilent =
    rejects.length === 0 &&
    !response.hasCalls &&
    [7, 14].every((ago) => confirmed.some((each) => each.day === addDays(day, -ago) && each.hasCalls));
  const hadBefore = (isSame: (anomaly: Anomaly) => boolean) =>
    confirmed.some((each) => each.day >= response.knownSince && each.anomalies.some(isSame));
  const known = (code: Anomaly['code']) => hadBefore((each) => each.code === code);
  return [
    announced > envelope.rows
      ? { code: 'announced' as const, announced, listed: envelope.rows, known: known('announced') }
      : null,
    unread + inPart > 0
      ? {
          code: 'unreadable' as const,
          records: unread,
          ...(inPart > 0 && { inPart }),
          known: known('unreadable'),
        }
      : null,
    envelope.rows > 0 && envelope.notice !== null
      ? { code: 'error' as const, text: envelope.notice, known: known('error') }
      : null,
    unreported.length > 0
      ? {
          code: 'unreported' as const,
          counts: unreported,
          known: hadBefore(
            (each) => each.code === 'unreported' && unreported.every((name) => each.counts.includes(name)),
          ),
        }
      : null,
    isSilent ? { code: 'no_calls' as const, known: false } : null,
  ].filter((anomaly) => anomaly !== null);
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
