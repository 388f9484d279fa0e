import type { Day } from '../model/day.ts';
import type { OnProgress } from '../model/progress.ts';
import { compareDay } from '../planning/compare-day.ts';
import { contentHash } from '../planning/content-hash.ts';
import { parseArchived } from '../service/response/parse-response.ts';
import { campaignSummarySchema } from '../service/response/schema.ts';
import { eachConcurrently } from '../support/concurrency.ts';
import { type ArchivedWindow, archivedWindows, readResponses } from '../warehouse/archive/read-archive.ts';
import { type Compare, type DecidedResponse, rebuildWindow } from '../warehouse/archive/rebuild-window.ts';
import type { Queries } from '../warehouse/db/database.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import { replayClients } from './clients/replay-clients.ts';
import type { AppContext } from './run/app-context.ts';
import { asOnlyRun, type Run, type RunReport } from './run/run.ts';

export type ReplayRequest = { readonly command: string; readonly from: Day; readonly to: Day };

/**
 * Rebuilds the warehouse from the archive, without the service: each window of the days, and the clients of accounts
 * whose walks all lie within them. What was decided on each answer is followed, not decided again. A window or an
 * account whose archive isn't whole stays as it is.
 */
export async function replay(
  app: AppContext,
  request: ReplayRequest,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<RunReport> {
  const start = { kind: 'replay', command: request.command, scheduledFor: null } as const;
  return await asOnlyRun(app, start, signal, async (run) => {
    const windows = await archivedWindows(run.warehouse, request.from, request.to);
    await replayWindows(run, windows, onProgress);
    await followCampaigns(run.warehouse);
    await replayClients(run, request.from, request.to);
  });
}

async function replayWindows(
  run: Run,
  windows: readonly ArchivedWindow[],
  onProgress: OnProgress,
): Promise<void> {
  const whole = windows.filter((window) => window.whole);
  for (const { account, day } of windows.filter((window) => !window.whole))
    run.log.warn(
      { account, day },
      `${day} ${account}: not all of its answers are archived: it stays as it is`,
    );
  let done = 0;
  const { concurrency } = run.config.service;
  await eachConcurrently(whole, concurrency, run.signal, async ({ accountId, day }) => {
    await rebuildWindow(
      run.warehouse,
      { accountId, day },
      (reader) => decidedResponses(reader, accountId, day),
      follow,
    );
    run.stats.windows.loaded++;
    onProgress({ total: whole.length, done: ++done, failed: 0 });
  });
}

const follow: Compare = (current, { records, rejects }, final) =>
  compareDay(current, records, final, rejects);

async function decidedResponses(reader: Queries, accountId: number, day: Day): Promise<DecidedResponse[]> {
  const answers = await readResponses(reader, { accountId, day });
  return answers.map(({ body, ...answer }) => {
    const { records, rejects } = parseArchived(body, campaignSummarySchema);
    const window = { accountId, day, provisional: answer.decision === 'provisional' };
    return { ...answer, ...window, records, rejects, contentHash: contentHash(records) };
  });
}
