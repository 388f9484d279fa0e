import type { CampaignRecord, ClientRecord, ServiceResponse } from '../../src/model/records.ts';
import { contentHash, decideLoad } from '../../src/planning/decide-load.ts';
import { campaignSummarySchema, clientListSchema } from '../../src/service/response/schema.ts';
import { type Fetch, keepFetches } from '../../src/warehouse/archive/archive.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/db/database.ts';
import { inTransaction } from '../../src/warehouse/db/transaction.ts';
import { syncAccounts } from '../../src/warehouse/ledger/accounts.ts';
import { beginRun, databaseClock, type RunStart } from '../../src/warehouse/ledger/runs.ts';
import { loadClientPages } from '../../src/warehouse/load/client-pages.ts';
import { beginWalk } from '../../src/warehouse/load/client-walks.ts';
import { loadWindow } from '../../src/warehouse/load/windows.ts';

/** An answer of the service: of a day, or a page of clients. */
export type Heard = { readonly day: string | null; readonly body: string };

/** As many pages as the job takes to a load. */
const pagesToALoad = 10;

/** Loads pages of clients as a walk does, the archive included; gives the milliseconds. */
export async function loadPages(url: string, answers: readonly Heard[]): Promise<number> {
  const pages = answers.map((each) => ({ ...each, records: clientsOf(each.body) }));
  return await inWarehouse(url, async (warehouse, { runId, accountId, walk, day, at }) => {
    for (const some of inLots(pages)) {
      await loadClientPages(
        warehouse,
        { runId, accountId, walk, day },
        some.map((page) => ({
          records: page.records,
          unreadable: false,
          fetchedAt: at,
          response: heard(page, 'getClients'),
        })),
      );
    }
  });
}

/** Archives the same pages in transactions of the same size, and does nothing else. */
export async function archivePages(url: string, answers: readonly Heard[]): Promise<number> {
  const pages = answers.map((each) => ({
    ...each,
    writtenIds: clientsOf(each.body).map((client) => client.clientId),
  }));
  return await inWarehouse(url, async (warehouse, { runId, accountId, walk, at }) => {
    for (const some of inLots(pages)) {
      const fetches = some.map(
        (page): Fetch => ({
          runId,
          accountId,
          walk,
          day: null,
          writtenIds: page.writtenIds,
          response: heard(page, 'getClients'),
          fetchedAt: at,
          decision: 'loaded',
        }),
      );
      await inTransaction(warehouse, (transaction) => keepFetches(transaction, fetches));
    }
  });
}

/** Loads days as the job does, the archive included; gives the milliseconds. */
export async function loadWindows(url: string, answers: readonly Heard[]): Promise<number> {
  const windows = answers.map((each) => ({ ...each, day: each.day!, records: campaignsOf(each.body) }));
  return await inWarehouse(url, async (warehouse, { runId, accountId, day: runDate, at }) => {
    for (const { day, body, records } of windows) {
      const judged = { records, rejects: [], contentHash: contentHash(records), runDate };
      const source = { accountId, day, fetchedAt: at, runId, provisional: false, catchUpLeft: null };
      const answer = heard({ body }, 'campaignSummary');
      await loadWindow(warehouse, { ...judged, ...source, response: answer }, (current) =>
        decideLoad(current, { ...judged, accepted: false }),
      );
    }
  });
}

/** Archives the same days, each in a transaction, and does nothing else. */
export async function archiveWindows(url: string, answers: readonly Heard[]): Promise<number> {
  const windows = answers.map((each) => ({
    ...each,
    writtenIds: campaignsOf(each.body).map((one) => one.callsetId),
  }));
  return await inWarehouse(url, async (warehouse, { runId, accountId, at }) => {
    for (const { day, body, writtenIds } of windows) {
      const answer = heard({ body }, 'campaignSummary');
      const fetch: Fetch = {
        runId,
        accountId,
        walk: null,
        day,
        response: answer,
        fetchedAt: at,
        decision: 'loaded',
        writtenIds,
      };
      await inTransaction(warehouse, (transaction) => keepFetches(transaction, [fetch]));
    }
  });
}

type Run = {
  readonly runId: number;
  readonly accountId: number;
  readonly walk: number;
  readonly day: string;
  readonly at: string;
};

/** A run and a walk that the answers belong to; then `work`, timed. */
async function inWarehouse(
  url: string,
  work: (warehouse: Warehouse, run: Run) => Promise<void>,
): Promise<number> {
  const warehouse = openWarehouse(url, 1);
  try {
    const [account] = await syncAccounts(warehouse, [{ name: 'main', label: 'main', timeZone: 'UTC' }]);
    const day = Temporal.Now.plainDateISO('UTC').toString();
    const run: RunStart = {
      kind: 'nightly',
      command: 'bench',
      scheduledFor: null,
      exclusive: false,
      runDate: day,
      host: 'bench',
      processId: process.pid,
    };
    const runId = await beginRun(warehouse, run);
    const at = await databaseClock(warehouse);
    const accountId = account!.id;
    const { id: walk } = await beginWalk(warehouse, { runId, accountId, runDate: day, day, startedAt: at });
    const began = performance.now();
    await work(warehouse, { runId, accountId, walk, day, at });
    return performance.now() - began;
  } finally {
    await warehouse.destroy();
  }
}

function heard({ body }: Pick<Heard, 'body'>, operation: ServiceResponse['operation']): ServiceResponse {
  return { operation, parameters: { limit: 100, balance: true }, status: 200, body, requestedAt: 0 };
}

const clientsOf = (body: string): readonly ClientRecord[] =>
  clientListSchema(null).parse(JSON.parse(body)).records;
const campaignsOf = (body: string): readonly CampaignRecord[] =>
  campaignSummarySchema.parse(JSON.parse(body)).records;

function inLots<T>(items: readonly T[]): T[][] {
  const lots = Math.ceil(items.length / pagesToALoad);
  return Array.from({ length: lots }, (_, lot) => items.slice(lot * pagesToALoad, (lot + 1) * pagesToALoad));
}
