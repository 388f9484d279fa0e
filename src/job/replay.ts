import type { Day } from '../model/day.ts';
import { mostlyUnreadable } from '../model/records.ts';
import type { OnProgress } from '../model/run.ts';
import { compareDay } from '../planning/compare-day.ts';
import { contentHash } from '../planning/decide-load.ts';
import { parseArchived } from '../service/response/parse-response.ts';
import { campaignSummarySchema, clientListSchema } from '../service/response/schema.ts';
import { eachConcurrently } from '../support/concurrency.ts';
import {
  type ArchivedWalk,
  archivedWindows,
  readLoads,
  readResponses,
  readWalks,
  walkedAccounts,
} from '../warehouse/archive/read-archive.ts';
import { type DecidedLoad, type DecidedWalk, rebuildClients } from '../warehouse/archive/rebuild-clients.ts';
import { type Compare, type DecidedResponse, rebuildWindow } from '../warehouse/archive/rebuild-window.ts';
import type { Queries } from '../warehouse/db/database.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import { newestOfEach } from '../warehouse/load/client-pages.ts';
import type { AppContext } from './run/app-context.ts';
import { campaignsErrorReporter } from './run/error-of-one.ts';
import { asOnlyRun, type Run, type RunReport, type RunRequest } from './run/run.ts';

export type ReplayRequest = RunRequest & { readonly from: Day; readonly to: Day };

/**
 * Rebuilds the warehouse from the archive, without the service: each window of the days, and the clients of accounts
 * whose walks all lie within them. What was decided on each response is followed, not decided again. A window or an
 * account whose archive isn't whole stays as it is.
 */
export async function replay(
  app: AppContext,
  request: ReplayRequest,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<RunReport> {
  return await asOnlyRun(app, { ...request, kind: 'replay' }, signal, async (run) => {
    await replayWindows(run, request, onProgress);
    await followCampaigns(run.warehouse, campaignsErrorReporter(run));
    await replayClients(run, request);
  });
}

async function replayWindows(
  { warehouse, config, log, signal, stats }: Run,
  { from, to }: ReplayRequest,
  onProgress: OnProgress,
): Promise<void> {
  const windows = await archivedWindows(warehouse, from, to);
  const whole = windows.filter((window) => window.whole);
  for (const { account, day } of windows.filter((window) => !window.whole))
    log.warn({ account, day }, `${day} ${account}: not all of its responses are archived: it stays as it is`);
  let done = 0;
  await eachConcurrently(whole, config.service.concurrency, signal, async ({ accountId, day }) => {
    const read = (reader: Queries) => decidedResponses(reader, accountId, day);
    await rebuildWindow(warehouse, { accountId, day }, read, follow);
    stats.windows.loaded++;
    onProgress({ total: whole.length, done: ++done, failed: 0 });
  });
}

const follow: Compare = (current, response, final) =>
  compareDay(current, response.records, final, response.rejects);

async function decidedResponses(reader: Queries, accountId: number, day: Day): Promise<DecidedResponse[]> {
  const responses = await readResponses(reader, { accountId, day });
  return responses.map(({ body, ...response }) => {
    const { records, rejects } = parseArchived(body, campaignSummarySchema);
    return {
      ...response,
      accountId,
      day,
      provisional: response.decision === 'provisional',
      records,
      rejects,
      contentHash: contentHash(records),
    };
  });
}

/**
 * Rebuilds the clients of each account from all of its walks. They have no days of their own, so a part of the walks
 * would make old names the current ones: an account with walks outside of the days stays as it is.
 */
async function replayClients(
  { warehouse, config, log, signal }: Run,
  { from, to }: ReplayRequest,
): Promise<void> {
  for (const { id, name } of await walkedAccounts(warehouse)) {
    signal.throwIfAborted();
    const { walks, whole } = await readWalks(warehouse, id);
    const logKept = (why: string) =>
      log.warn({ account: name }, `${name}: its clients stay as they are: ${why}`);
    const days = walks.map((walk) => walk.day).sort();
    if (!whole) {
      logKept('not all pages of its walks are archived');
    } else if (days[0]! < from || days.at(-1)! > to) {
      logKept(`they were walked from ${days[0]} to ${days.at(-1)}`);
    } else {
      const decided = walks.map((walk) => decidedWalk(walk, config.service.balanceField));
      await rebuildClients(warehouse, id, decided);
    }
  }
}

function decidedWalk(walk: ArchivedWalk, balanceField: string | null): DecidedWalk {
  return {
    ...walk,
    async *loads(reader) {
      for await (const { decidedAt, bodies } of readLoads(reader, walk.id))
        yield { decidedAt, ...readPages(bodies, balanceField) };
    },
  };
}

function readPages(bodies: readonly string[], balanceField: string | null): Omit<DecidedLoad, 'decidedAt'> {
  const schema = clientListSchema(balanceField);
  const pages = bodies.map((body) => parseArchived(body, schema)).filter((page) => !mostlyUnreadable(page));
  const clients = [...newestOfEach(pages).values()];
  const rejected = pages.flatMap((page) => page.rejects.map((reject) => reject.id));
  const ids = [...pages.flatMap((page) => page.records.map((client) => client.clientId)), ...rejected];
  return { clients, listed: ids.every((id) => id !== null) ? ids : null };
}
