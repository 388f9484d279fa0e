import { hash } from 'node:crypto';
import { type Anomaly, type AnomalyCode, type HeldCode, unknownAnomalies } from '../../model/anomaly.ts';
import { addDays, isOver, yesterday } from '../../model/day.ts';
import {
  type CampaignRecord,
  type CountName,
  type Counts,
  countNames,
  type Reject,
  type SummaryEnvelope,
} from '../../model/records.ts';
import type { CurrentDay, CurrentRow, EarlierDay, LoadCandidate, LoadDecision } from '../../model/window.ts';
import { formatCount, formatCountOf } from '../../support/english.ts';
import { compareDay, listedIn } from './compare.ts';
import { countWords, describeAnomalies, provisionalReason } from './describe-anomaly.ts';
import { catchUpFrom, isBeyondLookback } from './due.ts';
import { isKnown } from './known.ts';

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
  summary: Pick<LoadCandidate, 'records' | 'rejects' | 'rejectCount' | 'unreadableCounts'> & SummaryEnvelope,
  { day, runDate, accepted, now, timeZone, lookbackDays, catchUpDays }: Circumstances,
): LoadCandidate {
  const {
    records,
    rejects,
    rejectCount,
    unreadableCounts = 0,
    rows,
    counts,
    notice,
    unfinished,
    noList,
  } = summary;
  const last = yesterday(now, timeZone);
  return {
    day,
    runDate,
    accepted,
    records,
    rejects,
    rejectCount,
    unreadableCounts: unreadableCounts,
    envelope: { rows, counts, notice, unfinished, noList },
    contentHash: contentHash(records),
    unreported: countNames.filter(
      (name) => records.filter((record) => record[name] === null).length * 2 > records.length,
    ),
    hasCalls: records.some(hasCalls),
    isOver: isOver(day, timeZone, now),
    isOutsideCatchUp: day <= catchUpFrom(last, catchUpDays),
    isBeyondLookback: isBeyondLookback(day, last, lookbackDays),
  };
}

/** Anomalies that two days or two accounts show together: a response by itself has none of them. */
const acrossCodes: readonly AnomalyCode[] = ['same_campaigns', 'same_figures'];

/** Anomalies that repetition confirms: it shows that somebody decided so, not that the list is complete. */
const decidedCodes: readonly AnomalyCode[] = ['no_list', 'no_calls'];

/**
 * The load decision for a response (design, *Anomaly*). Without anomalies it confirms the day. A doubtful one never replaces a
 * confirmed day: it is held, and what takes campaigns or counts away is applied by a person alone. A day without confirmed figures
 * keeps the fuller of two doubtful responses, as provisional.
 *
 * @param earlier days as responses of earlier run dates show them, if `needsEarlier` asks for them
 */
export function decideLoad(
  current: CurrentDay,
  response: LoadCandidate,
  earlier: readonly EarlierDay[] = [],
): LoadDecision {
  const isSame = current.state !== 'failed' && current.contentHash === response.contentHash;
  const isConfirmed = current.state === 'loaded';
  // Confirmed figures are replaced only by those that an alert or `accept` showed.
  const isAccepted =
    response.accepted && (!isConfirmed || isSame || current.heldHash === response.contentHash);
  const own = findAnomalies(current.rows, response, earlier);
  // These anomalies compare two days or accounts: only `reviewDays` or a person removes them.
  const marks =
    isSame && !isAccepted ? current.anomalies.filter(({ code }) => acrossCodes.includes(code)) : [];
  const anomalies = [...own, ...marks];
  const unknown = unknownAnomalies(anomalies);
  const rows = current.rows.filter((row) => !row.withdrawn);
  const loss = current.state === 'failed' ? null : lossOf(rows, response);
  // A replay of the loaded response restates nothing: it restores lost rows, or this version reads them differently.
  const isFinal = isConfirmed && !(isSame && current.isReplayOfNewest);
  const apply = (confirms: boolean): LoadDecision => ({
    decision: 'apply',
    anomalies,
    provisional: confirms ? null : provisionalReason(response.isOver, anomalies),
    change: compareDay(current.rows, response.records, isFinal, response.rejects),
  });
  const because = () => {
    const figures = describeFigures(rows, response.records);
    const isShown = figures !== '' && loss !== null && loss.code !== 'unreported';
    const reason = isShown ? '' : (loss?.text ?? describeAnomalies(unknown));
    return [reason, figures].filter(Boolean).join(': ');
  };

  if (!response.isOver) return apply(false);
  if (isAccepted) return apply(true);
  if (isConfirmed) {
    // Nothing of the day would change.
    if (isSame) return apply(true);
    if (loss?.code === 'emptied' && response.isBeyondLookback && current.isSettled)
      return { decision: 'ignore', anomalies, because: 'the service no longer lists campaigns of that day' };
    // A response with a known anomaly doesn't replace a day that was confirmed without it.
    const since = own.filter(({ code }) => !current.anomalies.some((before) => before.code === code));
    if (unknown.length === 0 && loss === null && since.length > 0)
      return {
        decision: 'ignore',
        anomalies,
        because: `${describeAnomalies(since)}; the day was confirmed without that`,
      };
    if (unknown.length === 0 && loss === null) return apply(true);
    return { decision: 'hold', anomalies, code: loss?.code ?? unknown[0]!.code, because: because() };
  }
  const listsNothing = response.records.length + response.rejects.length === 0;
  const looksIncomplete = listsNothing || unknownAnomalies(own).length > 0;
  if (looksIncomplete && loss !== null && loss.code !== 'unreported')
    return { decision: 'ignore', anomalies, because: because() };
  const isRepeated =
    isSame &&
    current.isOver &&
    current.sameSinceRunDate !== null &&
    current.sameSinceRunDate < response.runDate &&
    unknown.every(({ code }) => decidedCodes.includes(code));
  return apply(unknown.length === 0 || isRepeated);
}

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
    ['attempt', attemptsOf(records), attemptsOf(rows)],
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

/** Null if there are campaigns, and none reports them. */
function attemptsOf(rows: readonly Counts[]): string | null {
  const reported = rows.flatMap(({ attempts }) => attempts ?? []);
  if (reported.length === 0 && rows.length > 0) return null;
  return reported.reduce((total, count) => total + BigInt(count), 0n).toString();
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

/** Returns whether an anomaly of the response may depend on other days. */
export const needsEarlier = (response: LoadCandidate): boolean =>
  findAnomalies([], response, []).length > 0 || response.unreported.length > 0 || !response.hasCalls;

function findAnomalies(
  current: readonly CurrentRow[],
  response: LoadCandidate,
  earlier: readonly EarlierDay[],
): Anomaly[] {
  const { day, records, rejects, unreadableCounts = 0, envelope } = response;
  const found: Anomaly[] = [];
  const announced = Math.max(0, ...Object.values(envelope.counts));
  if (announced > envelope.rows)
    found.push({ code: 'announced', announced, listed: envelope.rows, known: false });
  if (envelope.unfinished !== null && envelope.rows > 0)
    found.push({ code: 'not_finished', text: envelope.unfinished, known: false });
  const loaded = [...records, ...current.filter(({ withdrawn }) => !withdrawn)];
  const unread = rejects.filter(
    (reject) => !reject.isTotal && !loaded.some((row) => repeats(reject, row)),
  ).length;
  if (unread > 0) found.push({ code: 'unreadable', records: unread, known: false });
  if (unreadableCounts > 0)
    found.push({
      code: 'unreadable_counts',
      campaigns: unreadableCounts,
      listed: envelope.rows,
      known: false,
    });
  if (envelope.notice !== null && envelope.rows > 0)
    found.push({ code: 'error', text: envelope.notice, known: false });
  const confirmed = earlier.filter((each) => each.isConfirmed);
  // Provisional days don't count: a count that is missing for good would soon be missed no more.
  const lastWeek = confirmed
    .filter((each) => each.rows > 0 && each.day < day)
    .sort((one, other) => Number(one.day < other.day) - Number(one.day > other.day))
    .slice(0, 7);
  const unreported = response.unreported.filter(
    (name) => lastWeek.filter((each) => !each.unreported.includes(name)).length * 2 > lastWeek.length,
  );
  if (unreported.length > 0) found.push({ code: 'unreported', counts: unreported, known: false });
  const sameWeekday = [7, 14].map((ago) => confirmed.find((each) => each.day === addDays(day, -ago)));
  if (envelope.noList !== null) {
    // An empty weekday comes like that: a person or a second night has confirmed one before.
    const isQuiet = !sameWeekday.some((each) => each?.hasCalls === true);
    const wasConfirmed = confirmed.some(({ anomalies }) => anomalies.some(({ code }) => code === 'no_list'));
    found.push({ code: 'no_list', text: envelope.noList, known: isQuiet && wasConfirmed });
  }
  const isSilent =
    rejects.length === 0 && !response.hasCalls && sameWeekday.every((each) => each?.hasCalls === true);
  if (isSilent) found.push({ code: 'no_calls', known: false });
  return found.map((anomaly) => (isKnown(anomaly, day, earlier) ? { ...anomaly, known: true } : anomaly));
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
