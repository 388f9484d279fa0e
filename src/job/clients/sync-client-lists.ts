import { today } from '../../model/day.ts';
import { Failure } from '../../model/errors.ts';
import { isUnreadable, maxRejects } from '../../model/records.ts';
import { needsCompleteWalk } from '../../model/walk.ts';
import type { ClientPage } from '../../service/operations.ts';
import type { WalkEnd } from '../../service/paging/walk-clients.ts';
import { msSince } from '../../support/clock.ts';
import { eachConcurrently, type Gate } from '../../support/concurrency.ts';
import { formatCountOf } from '../../support/english.ts';
import {
  beginWalk,
  readWalkStates,
  recordCompleteWalk,
  recordIncompleteWalk,
  type Walk,
} from '../../warehouse/load/client-walks.ts';
import { loadClientPages, type PageSource } from '../../warehouse/load/clients.ts';
import { quarantine } from '../../warehouse/load/rejects.ts';
import type { KnownAccount } from '../run/accounts.ts';
import { createCircuitBreaker, giveUpReason } from '../run/circuit-breaker.ts';
import { reportFailures, toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';

/**
 * Syncs the client list of each account, several at once. Gives up once the service is unavailable for list after list.
 *
 * @param loads passes each load: digests are built while nothing is loaded
 */
export async function syncClientLists(
  run: Run,
  accounts: readonly KnownAccount[],
  loads: Gate,
): Promise<void> {
  const { concurrency } = run.config.service;
  const breaker = createCircuitBreaker(concurrency * 2, accounts.length);
  const signal = AbortSignal.any([run.signal, breaker.signal]);
  const failed: { readonly account: string; readonly error: Failure }[] = [];
  const onPage = createPageCount(run);
  let done = 0;
  try {
    await eachConcurrently(accounts, concurrency, signal, async (account) => {
      const error = await syncClientList(run, account, loads, onPage);
      done++;
      breaker.record(account.name, error);
      if (error !== null) failed.push({ account: account.name, error });
    });
  } catch (error) {
    if (error !== breaker.signal.reason) throw error;
    run.log.warn(
      { left: accounts.length - done },
      `${giveUpReason(error as Failure)}: ${formatCountOf(accounts.length - done, 'client list')} left for the next run`,
    );
  }
  const causes = Map.groupBy(failed, ({ error: { code, detail } }) => `${code} ${detail}`);
  for (const alike of causes.values()) {
    const places = alike.map(({ account }) => ({ step: 'clients' as const, account, day: null }));
    reportFailures(run, alike[0]!.error, places);
  }
}

type OnPage = (account: string, page: ClientPage) => void;

/** Counts the walked pages, of as many as the lists that have begun announce. */
function createPageCount(run: Run): OnPage {
  const lists = new Map<string, { walked: number; announced: number | null }>();
  let done = 0;
  let total = 0;
  let unannounced = 0;
  return (account, { pages }) => {
    const { walked, announced } = lists.get(account) ?? { walked: 0, announced: 0 };
    const list = { walked: walked + 1, announced: pages ? Math.max(walked + 1, pages) : null };
    lists.set(account, list);
    done++;
    total += (list.announced ?? 0) - (announced ?? 0);
    unannounced += Number(list.announced === null) - Number(announced === null);
    run.onProgress({
      unit: 'client page',
      done,
      // One list doesn't say how many pages it has.
      total: unannounced > 0 ? null : total,
      failed: 0,
    });
  };
}

/**
 * Walks an account's client list, loads its pages as they come, and records how the walk ended. Returns why it failed; null if
 * it did not.
 */
async function syncClientList(
  run: Run,
  account: KnownAccount,
  loads: Gate,
  onPage: OnPage,
): Promise<Failure | null> {
  const { pageLimit, balance } = run.config.service;
  const began = performance.now();
  const source = {
    runId: run.id,
    accountId: account.id,
    day: today(run.clock(), account.timeZone),
  };
  const walk = await beginWalk(run.warehouse, {
    ...source,
    runDate: run.runDate,
    startedAt: run.databaseClock(began),
  });
  const batch = createBatch(run, loads, { ...source, walk: walk.id });
  const logged = new Set<string>();
  let pages = 0;
  let keptRejects = 0;
  let otherRejects = 0;
  try {
    for await (const item of run.service.walkClients(account, { limit: pageLimit, balance })) {
      if ('verdict' in item) {
        await batch.load();
        const clients = item.ids.size;
        run.stats.clients.pages += pages;
        run.stats.clients.listed += clients;
        run.log.debug(
          { account: account.name, pages, clients, ms: msSince(began) },
          `${account.name}: ${formatCountOf(clients, 'client')} on ${formatCountOf(pages, 'page')}`,
        );
        return await loads.pass(() => recordEnd(run, account, walk, item));
      }
      pages++;
      const rejects = item.rejects.slice(0, maxRejects - keptRejects);
      keptRejects += rejects.length;
      otherRejects += item.rejectCount - rejects.length;
      await quarantine(
        run.warehouse,
        { ...source, operation: 'getClients', day: null },
        { rejects, rejectCount: rejects.length + otherRejects },
      );
      run.stats.rejects += item.rejectCount;
      for (const line of item.logged) {
        if (logged.has(line)) continue;
        logged.add(line);
        run.log.warn({ account: account.name }, `${account.name}, clients: ${line}`);
      }
      await batch.add(item);
      onPage(account.name, item);
    }
    // A walk always yields its end.
    throw new Error('the walk has no end');
  } catch (thrown) {
    const error = asOfList(toItemFailure(thrown, run, `account ${account.name}, clients`));
    await recordIncompleteWalk(run.warehouse, walk.id, 'incomplete', error.detail, error);
    return error;
  }
}

/** Loads at this many clients: a load per page takes many times as long. */
const clientsPerLoad = 1_000;

/** Loads at this many bytes of response bodies: records may be large. */
const bytesPerLoad = 1_000_000;

/** Loads many pages in one transaction; the next pages are fetched meanwhile. */
function createBatch(run: Run, loads: Gate, source: PageSource) {
  let waiting: ClientPage[] = [];
  let clients = 0;
  let bytes = 0;
  async function load(): Promise<void> {
    const pages = waiting.map((page) => ({
      records: page.records,
      response: page.response,
      fetchedAt: run.databaseClock(page.response.requestedAt),
      sign: page.emptyBy ?? (page.remarks.join('; ') || null),
      unreadable: isUnreadable(page),
    }));
    waiting = [];
    clients = 0;
    bytes = 0;
    if (pages.length === 0) return;
    const { appeared, changed, returned } = await loads.pass(() =>
      loadClientPages(run.warehouse, source, pages),
    );
    run.stats.clients.appeared += appeared;
    run.stats.clients.changed += changed;
    run.stats.clients.returned += returned;
  }
  return {
    load,
    async add(page: ClientPage): Promise<void> {
      waiting.push(page);
      clients += page.rows;
      bytes += page.response.body.byteLength;
      if (clients >= clientsPerLoad || bytes >= bytesPerLoad) await load();
    },
  };
}

/**
 * Records the verdict of a walk, and returns its error if it has one. A list that changes during its walks has one only after
 * seven run dates without a complete walk.
 */
async function recordEnd(run: Run, account: KnownAccount, walk: Walk, end: WalkEnd): Promise<Failure | null> {
  const { name } = account;
  const { warehouse, stats, log } = run;
  if (end.verdict === 'complete') {
    const seen = end.everyIdIsKnown ? end.ids : null;
    const { absent, implausible } = await recordCompleteWalk(warehouse, walk, seen);
    stats.clients.absent += absent;
    if (absent > 0) log.debug({ account: name }, `${name}: ${formatCountOf(absent, 'client')} absent`);
    if (implausible > 0)
      log.warn(
        { account: name },
        `${name}: ${formatCountOf(implausible, 'client')} missing, over half of the list: not marked absent`,
      );
    return null;
  }
  const { verdict, reason } = end;
  const failure = end.failure && asOfList(end.failure);
  const remarks = verdict === 'remarked' ? end.remarks : [];
  await recordIncompleteWalk(warehouse, walk.id, verdict, reason, failure, remarks);
  if (verdict === 'remarked') {
    log.warn({ account: name }, `${name}: the client list is loaded, and nobody is marked absent: ${reason}`);
    return null;
  }
  const isOverdue = async () => needsCompleteWalk((await readWalkStates(warehouse)).get(name)!);
  if (verdict === 'changed' && !(await isOverdue())) {
    log.warn(
      { account: name },
      `${name}: the client list changed while it was fetched (${reason}); the next run fetches it again`,
    );
    return null;
  }
  stats.clients.incompleteWalks++;
  // A refusal is reported as such, any other error with the reason, which names the page.
  if (failure?.code === 'CLIENT_LIST_REFUSED') return failure;
  const { code = 'WALK_INCOMPLETE', advice, status, sign } = failure ?? {};
  return new Failure(code, `the client list can't be proven complete (${reason})`, {
    subject: `account ${name}, clients`,
    advice,
    status,
    sign,
  });
}

/** A refused list says nothing of the token: a service may permit the other operation. */
function asOfList(failure: Failure): Failure {
  const { code, detail, subject, status } = failure;
  return code === 'TOKEN_REFUSED' ? new Failure('CLIENT_LIST_REFUSED', detail, { subject, status }) : failure;
}
