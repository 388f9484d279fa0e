import { acceptedFor } from '../model/anomaly.ts';
import type { Day } from '../model/day.ts';
import { unreadableReason } from '../model/records.ts';
import { parseArchived } from '../service/response/parse-response.ts';
import { campaignSummarySchema } from '../service/response/schema.ts';
import { eachConcurrently } from '../support/concurrency.ts';
import { formatCountOf } from '../support/english.ts';
import { type ArchivedWindow, archivedWindows, readArchived } from '../warehouse/archive/read-archive.ts';
import { refreshCampaigns } from '../warehouse/load/campaigns.ts';
import type { AppContext } from './run/app-context.ts';
import { type Run, type RunReport, type RunRequest, withRunLock } from './run/run.ts';
import { nonzero } from './run/run-stats.ts';
import { toCandidate } from './windows/decide.ts';
import { loadWindow } from './windows/load-window.ts';
import { reviewDays } from './windows/review-days.ts';
import { countLoaded } from './windows/sync-window.ts';

export type ReplayRequest = RunRequest & {
  readonly from: Day;
  readonly to: Day;
  /** Names of accounts; null for all of the warehouse. */
  readonly accounts: readonly string[] | null;
};

/**
 * Loads the newest archived response of each window that this version can read, without the service, by the same rules as a new one
 * (docs/concepts.md). It keeps its time and run date, so it doesn't count as another night. One with the current content changes nothing.
 */
export async function replay(
  app: AppContext,
  request: ReplayRequest,
  signal: AbortSignal,
): Promise<RunReport> {
  return await withRunLock(app, { ...request, kind: 'replay' }, signal, async (run) => {
    const windows = await archivedWindows(run.warehouse, request);
    let done = 0;
    let unread = 0;
    await eachConcurrently(windows, run.config.service.concurrency, run.signal, async (window) => {
      if (!(await replayWindow(run, window))) unread++;
      run.onProgress({ unit: 'window', done: ++done, total: windows.length, failed: 0 });
    });
    await reviewDays(run);
    await refreshCampaigns(run.warehouse);
    const { loaded, held } = run.stats.windows;
    const changed = nonzero([
      [loaded, 'loaded'],
      [held, 'held'],
      [unread, 'without a readable response in the archive'],
    ]);
    run.log.info(
      { windows: windows.length, loaded, held, unread },
      `${formatCountOf(windows.length, 'archived window')}: ${[...changed, 'all others unchanged'].join(', ')}`,
    );
  });
}

/** Returns whether there was a response that can be read. */
async function replayWindow(run: Run, { account, timeZone, ...key }: ArchivedWindow): Promise<boolean> {
  const { accepted, isAccepted } = run.signs;
  const isEmpty = (sign: string) =>
    isAccepted({ kind: 'empty', operation: 'campaignSummary', sign, account });
  for await (const { id, status, body, ...archived } of readArchived(run.warehouse, key)) {
    const summary = parseArchived({ status, body }, campaignSummarySchema, isEmpty);
    // An older response of the day may be one that this version can read.
    if (summary === null || unreadableReason(summary.content) !== null) continue;
    const { content, body: _, ...texts } = summary;
    const window = {
      ...toCandidate(
        { ...content, ...texts },
        {
          ...run.config.planning,
          day: key.day,
          runDate: archived.runDate,
          accepted: false,
          now: Temporal.Instant.from(archived.fetchedAt),
          timeZone,
        },
      ),
      ...key,
      ...archived,
      response: id,
    };
    const loaded = await loadWindow(run.warehouse, window, false, acceptedFor(accepted, account));
    countLoaded(run, account, window, loaded, false);
    return true;
  }
  return false;
}
