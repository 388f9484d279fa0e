import { hash } from 'node:crypto';
import {
  type CampaignRecord,
  type CountName,
  type Counts,
  countNames,
  type Reject,
  type SummaryEnvelope,
} from '../../model/records.ts';
import type {
  CountedResponse,
  CurrentDay,
  CurrentRow,
  LoadCandidate,
  LoadDecision,
} from '../../model/window.ts';
import { formatCountOf } from '../../support/english.ts';
import { compareDay, listedIn } from './compare.ts';

/**
 * The load decision for a response. A response that would remove most of a day is more often an error of the
 * service than news: it is held, and applied if the service returns it again on a later run date or somebody
 * accepts it.
 */
export function decideLoad(current: CurrentDay, response: LoadCandidate): LoadDecision {
  const because = holdReason(current, response);
  const confirmed =
    current.heldHash === response.contentHash &&
    (response.accepted || (current.heldRunDate !== null && current.heldRunDate < response.runDate));
  if (because !== null && !confirmed) return { decision: 'hold', because };
  return {
    decision: 'apply',
    change: compareDay(current.rows, response.records, current.state === 'loaded', response.rejects),
  };
}

/** The reason to hold a response, with its counts and the loaded ones; null if there is none. */
export function holdReason(
  { rows }: Pick<CurrentDay, 'rows'>,
  { records, rejects }: Pick<LoadCandidate, 'records' | 'rejects'>,
): string | null {
  const current = rows.filter((row) => !row.withdrawn);
  const loss = describeLoss(current, records, rejects);
  return loss === null ? null : `${loss}: ${describeRows(records)} instead of ${describeRows(current)}`;
}

function describeLoss(
  current: readonly CurrentRow[],
  records: readonly CampaignRecord[],
  rejects: LoadCandidate['rejects'],
): string | null {
  if (current.length === 0) return null;
  if (records.length + rejects.length === 0)
    return `it would empty a day of ${formatCountOf(current.length, 'campaign')}`;
  const isListed = listedIn(records, rejects);
  const dropped = current.filter((row) => !isListed(row.callsetId)).length;
  if (dropped * 2 > current.length)
    return `it lacks ${dropped} of ${formatCountOf(current.length, 'campaign')}`;
  const reported = countNames.map((name) => unreportedReason(name, current, records, rejects));
  const unreported = reported.find((reason) => reason !== null);
  if (unreported !== undefined) return unreported;
  if (current.some(hasCalls) && rejects.length === 0 && !records.some(hasCalls))
    return 'it turns all counts to 0';
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

const countWords = {
  attempts: 'attempts',
  busies: 'busies',
  connects: 'connects',
  liveAnswers: 'live answers',
} as const satisfies Record<CountName, string>;

/** Counts that over half of the campaigns don't report. */
export function mostlyUnreported(records: readonly CampaignRecord[]): CountName[] {
  return countNames.filter(
    (name) => records.filter((record) => record[name] === null).length * 2 > records.length,
  );
}

const hasCalls = (counts: Counts) => countNames.some((name) => (counts[name] ?? 0) > 0);

/**
 * Returns whether a response that is applied speaks against its own completeness (design, *Figures may be low*): it
 * announces more campaigns than it lists, an error is beside them, records can't be read, or it leaves out a count
 * that most campaigns of the days before report.
 *
 * @param usual what the days before mostly report
 */
export function isShort(
  current: readonly CurrentRow[],
  { records, rejects, envelope, unreported }: ShortCandidate,
  disagreeing: readonly string[],
  usual: readonly CountName[],
): boolean {
  if (disagreeing.length > 0 || unreported.some((name) => usual.includes(name))) return true;
  if (envelope.rows > 0 && envelope.notice !== null) return true;
  const loaded = [...records, ...current.filter(({ withdrawn }) => !withdrawn)];
  return rejects.some((reject) => !loaded.some((row) => repeats(reject, row)));
}

type ShortCandidate = Pick<LoadCandidate, 'records' | 'rejects'> & {
  readonly envelope: SummaryEnvelope;
  readonly unreported: readonly CountName[];
};

/** Returns whether a record that can't be read is about a campaign that is loaded. */
function repeats({ id, payload }: Reject, row: CampaignRecord): boolean {
  if (id !== null) return id === row.callsetId;
  const { campaign, attempts, busies, connects, liveanswers } = fieldsOf(payload);
  const counts = [attempts, busies, connects, liveanswers];
  return campaign === row.campaign && countNames.every((name, index) => counts[index] === row[name]);
}

function fieldsOf(payload: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(payload));
  } catch {
    // A long one is cut.
    return {};
  }
}

const minAgreeing = 3;

/**
 * The counts of a response that announce more campaigns than it lists. The document doesn't show what `campaigns`
 * and `reports` count (service.md 2.3): one is trusted if it equalled the rows in most of the account's earlier
 * responses.
 *
 * @param earlier responses with two rows or more, the last twenty at most
 */
export function disagreeingCounts(
  { rows, counts }: CountedResponse,
  earlier: readonly CountedResponse[],
): string[] {
  return Object.keys(counts).filter((name) => {
    const agreeing = earlier.filter((response) => response.counts[name] === response.rows).length;
    const isTrusted = agreeing >= minAgreeing && agreeing * 2 > earlier.length;
    return isTrusted && counts[name]! > rows;
  });
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
