import { textOf, unreadableReason } from '../model/records.ts';
import { parseRefused } from '../service/response/parse-response.ts';
import { campaignSummarySchema } from '../service/response/schema.ts';
import { eachConcurrently } from '../support/concurrency.ts';
import { type RereadableResponse, readBody, rereadableResponses } from '../warehouse/archive/read-archive.ts';
import { inTransaction } from '../warehouse/db/transaction.ts';
import { lockEntry } from '../warehouse/ledger/window-entry.ts';
import type { WindowResponse } from '../warehouse/load/windows.ts';
import type { ReplayRequest } from './replay.ts';
import type { AppContext } from './run/app-context.ts';
import { asOnlyRun, type Run, type RunReport } from './run/run.ts';
import { decideAndFollow } from './windows/load-window.ts';
import { markSameCampaigns } from './windows/mark-same-campaigns.ts';
import { circumstancesOf } from './windows/sync-window.ts';

/**
 * Loads responses that could not be read when they came, without the service: the newest of each window, if it
 * was invalid or had rejects, can be read now, and isn't older than the current one. It is loaded like one that
 * has just arrived. Pages of clients aren't read again: the next walk lists them.
 */
export async function reread(
  app: AppContext,
  request: ReplayRequest,
  signal: AbortSignal,
): Promise<RunReport> {
  return await asOnlyRun(app, { ...request, kind: 'replay' }, signal, async (run) => {
    const responses = await rereadableResponses(run.warehouse, request);
    const outcomes = { loaded: 0, held: 0, unchanged: 0 };
    let done = 0;
    await eachConcurrently(responses, run.config.service.concurrency, run.signal, async (response) => {
      outcomes[await rereadResponse(run, response)]++;
      run.onProgress({ unit: 'window', done: ++done, total: responses.length, failed: 0 });
    });
    await markSameCampaigns(
      run,
      responses.map(({ day }) => day),
    );
    run.stats.windows.loaded += outcomes.loaded;
    const { loaded, held, unchanged } = outcomes;
    run.log.info(
      outcomes,
      `responses read again: ${loaded} loaded, ${held} held back, ${unchanged} as before`,
    );
  });
}

async function rereadResponse(
  run: Run,
  archived: RereadableResponse,
): Promise<'loaded' | 'held' | 'unchanged'> {
  const response = await parseAgain(run, archived);
  if (response === null) return 'unchanged';
  return await inTransaction(run.warehouse, async (transaction) => {
    const entry = await lockEntry(transaction, response);
    const isKnown = !archived.refused && [entry.contentHash, entry.heldHash].includes(response.contentHash);
    if (entry.response === 'older' || isKnown) return 'unchanged';
    const { decision } = await decideAndFollow(transaction, entry, response, {
      accepted: false,
      repeatable: false,
    });
    return decision === 'hold' ? 'held' : 'loaded';
  });
}

/** The response as if it came now; null if it still can't be read. */
async function parseAgain(run: Run, archived: RereadableResponse): Promise<WindowResponse | null> {
  const { id, day, timeZone, fetchedAt, status, parameters } = archived;
  const archivedBody = await readBody(run.warehouse, id);
  const parsed = parseRefused(textOf(archivedBody.body), status, campaignSummarySchema);
  if (parsed === null || unreadableReason(parsed.content) !== null) return null;
  const { records, rejects, rejectCount, rows, counts } = parsed.content;
  const now = Temporal.Instant.from(fetchedAt);
  return {
    ...archived,
    records,
    rejects,
    rejectCount,
    envelope: { rows, counts, notice: parsed.notice },
    ...circumstancesOf(records, day, {
      ...run.config.planning,
      now,
      timeZone,
    }),
    response: {
      operation: 'campaignSummary',
      parameters,
      status: status!,
      ...archivedBody,
      requestedAt: now.epochMilliseconds,
    },
  };
}
