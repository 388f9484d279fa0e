import type { Day } from '../../model/day.ts';
import {
  type CampaignRecord,
  type Reading,
  type SummaryEnvelope,
  unreadableReason,
} from '../../model/records.ts';
import type { OnProgress } from '../../model/run.ts';
import { isOver } from '../../planning/business-day.ts';
import { disagreeingCounts } from '../../planning/compare-counts.ts';
import { compareDay } from '../../planning/compare-day.ts';
import { contentHash, decideLoad, mostlyUnreported } from '../../planning/decide-load.ts';
import { effectiveResponses } from '../../planning/reread.ts';
import { catchUpLeft as daysLeft } from '../../planning/windows-due.ts';
import { parseArchived, parseRefused } from '../../service/response/parse-response.ts';
import { campaignSummarySchema } from '../../service/response/schema.ts';
import { eachConcurrently } from '../../support/concurrency.ts';
import {
  type ArchivedResponse,
  type ArchivedWindow,
  archivedWindows,
  readResponses,
} from '../../warehouse/archive/read-archive.ts';
import {
  type DecidedResponse,
  type DecidedResponses,
  type Decisions,
  rebuildWindow,
} from '../../warehouse/archive/rebuild-window.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import type { Run } from '../run/run.ts';

/** Which days, and whether responses that couldn't be read when they were received are decided anew. */
export type ReplayScope = { readonly from: Day; readonly to: Day; readonly reread: boolean };

/** Rebuilds the windows of the days that are archived whole; reports the others, and what was decided anew. */
export async function replayWindows(
  { warehouse, config, log, signal, stats }: Run,
  scope: ReplayScope,
  onProgress: OnProgress,
): Promise<void> {
  const windows = await archivedWindows(warehouse, scope);
  const whole = windows.filter((window) => window.whole);
  for (const { account, day } of windows.filter((window) => !window.whole))
    log.warn({ account, day }, `${day} ${account}: not all of its responses are archived: it stays as it is`);
  let done = 0;
  const anew = { loaded: 0, held: 0 };
  await eachConcurrently(whole, config.service.concurrency, signal, async (window) => {
    const read = (reader: Queries) =>
      decidedResponses(reader, { ...window, ...config.planning }, scope.reread);
    const { loaded, held } = await rebuildWindow(warehouse, window, read, decisions);
    anew.loaded += loaded;
    anew.held += held;
    stats.windows.loaded++;
    onProgress({ total: whole.length, done: ++done, failed: 0 });
  });
  if (scope.reread)
    log.info(anew, `responses of windows read again: ${anew.loaded} loaded, ${anew.held} held back`);
}

const decisions: Decisions = {
  compare: (current, response, final) => compareDay(current, response.records, final, response.rejects),
  // Nobody accepts a response of the past.
  decide: (current, response, earlier) => ({
    ...decideLoad(current, { ...response, accepted: false }),
    disagreeing: disagreeingCounts(response.envelope, earlier),
  }),
};

type ReplayedWindow = ArchivedWindow & Pick<Run['config']['planning'], 'catchUpDays'>;

async function decidedResponses(
  reader: Queries,
  window: ReplayedWindow,
  reread: boolean,
): Promise<DecidedResponses> {
  const archived = await readResponses(reader, window, reread);
  const parsed = archived.map((response) => {
    const reading = readBody(response);
    return { response, reading, ...aboutReading(response, reading) };
  });
  const effective = effectiveResponses(parsed);
  const last = effective.at(-1);
  const isNewest = parsed.every(({ response }) => last !== undefined && response.id <= last.response.id);
  return {
    responses: effective.map(({ response, reading }) => decidedResponse(window, response, reading!)),
    healed: last !== undefined && isNewest && !isFollowed(last.response),
  };
}

/** The campaigns of a response, and what its envelope says beside them. */
type ReadSummary = Reading<CampaignRecord> & SummaryEnvelope;

/** Null where it can't be read, or not enough of it. The notice of a followed one is on record already. */
function readBody(response: ArchivedResponse): ReadSummary | null {
  if (isFollowed(response)) return { ...parseArchived(response.body, campaignSummarySchema), notice: null };
  const parsed = parseRefused(response.body, response.status, campaignSummarySchema);
  if (parsed === null || unreadableReason(parsed.content) !== null) return null;
  return { ...parsed.content, notice: parsed.notice };
}

function aboutReading(response: ArchivedResponse, reading: ReadSummary | null) {
  return {
    ...response,
    followed: isFollowed(response),
    readable: reading !== null,
    discarded: response.decision === 'discarded',
  };
}

function isFollowed({ decision }: ArchivedResponse): boolean {
  return decision !== 'unreadable' && decision !== 'discarded';
}

function decidedResponse(
  window: ReplayedWindow,
  { id, decision, fetchedAt, decidedAt, catchUpLeft, runId, runDate }: ArchivedResponse,
  { records, rejects, rows, counts, notice }: ReadSummary,
): DecidedResponse {
  const { accountId, day } = window;
  const response = {
    id,
    accountId,
    day,
    fetchedAt,
    decidedAt,
    runId,
    runDate,
    records,
    rejects,
    envelope: { rows, counts, notice },
    unreported: mostlyUnreported(records),
    contentHash: contentHash(records),
  };
  if (decision === 'unreadable' || decision === 'discarded')
    return { ...response, decision: 'undecided', ...whenFetched(window, fetchedAt, catchUpLeft) };
  return { ...response, decision, provisional: decision === 'provisional', catchUpLeft };
}

/** What was not recorded of a response that couldn't be read, by the time of its request and the settings of today. */
function whenFetched(
  { day, timeZone, catchUpDays }: ReplayedWindow,
  fetchedAt: string,
  recorded: number | null,
): Pick<DecidedResponse, 'provisional' | 'catchUpLeft'> {
  const now = Temporal.Instant.from(fetchedAt);
  return {
    provisional: !isOver(day, timeZone, now),
    catchUpLeft: recorded ?? daysLeft(day, { now, timeZone, catchUpDays }),
  };
}
