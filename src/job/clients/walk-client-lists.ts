import type { Account } from '../../model/account.ts';
import type { Day } from '../../model/day.ts';
import { isOfOne } from '../../model/failure.ts';
import { mostlyUnreadable } from '../../model/records.ts';
import { today } from '../../planning/business-day.ts';
import { invalidResponse, walkIncomplete } from '../../service/failures.ts';
import type { WalkEnd, WalkedPage } from '../../service/paging/walk-clients.ts';
import { msSince } from '../../support/clock.ts';
import type { IdSet } from '../../support/id-set.ts';
import { beginWalk, failWalk, recordCompleteWalk, type Walk } from '../../warehouse/load/client-walks.ts';
import { quarantine } from '../../warehouse/load/rejects.ts';
import type { Run } from '../run/run.ts';
import { reportedError } from '../run/run-stats.ts';
import type { KnownAccount } from '../run/select-accounts.ts';
import { type AnchoredClock, anchorClock } from './anchored-clock.ts';
import { createWalkLoads, type WalkLoads } from './load-walk.ts';

/** Walks the client pages of each account and upserts them, some pages at a time. */
export async function walkClientLists(run: Run, accounts: readonly KnownAccount[]): Promise<void> {
  for (const [index, account] of accounts.entries()) {
    try {
      await walkClientList(run, account, (share) => (index + share) / accounts.length);
    } catch (error) {
      if (!isOfOne(error)) throw error;
      run.stats.failures.push(reportedError(error, account.name, null));
      run.log.error({ account: account.name }, error.line);
    }
  }
}

/** What is known of a list while it is walked. */
type Seen = {
  readonly walk: Walk;
  pages: number;
  /** Records that can't be read; of each its id, or null where that can't be read, either: it may be anybody. */
  readonly rejected: (number | null)[];
  /** Of a page of which over half can't be read; null where there was none. */
  unreadable: string | null;
  readonly loads: WalkLoads;
};

/** @param shareOfAll how much of all lists is walked, by how much of this one is */
async function walkClientList(run: Run, account: KnownAccount, shareOfAll: (share: number) => number) {
  const { pageLimit, balance } = run.config.service;
  const loader = {
    run,
    account,
    day: today(run.clock(), account.timeZone),
    at: await anchorClock(run.warehouse),
    began: performance.now(),
  };
  // What was said and quarantined already: a list that is walked again repeats itself.
  const said = new Set<string>();
  const pages = run.service.walkClients(account, { limit: pageLimit, balance });
  let step = await pages.next();
  let seen: Seen | null = null;
  for (; !step.done; step = await pages.next()) {
    if (seen === null) seen = await begin(loader, step.value);
    else if (step.value.first) {
      await seen.loads.finish();
      await failWalk(run.warehouse, seen.walk, 'it was begun again');
      seen = await begin(loader, step.value);
    }
    await notePage(loader, step.value, seen, said);
    const pages = run.stats.clients.pages + seen.pages;
    run.report({ pages, share: shareOfAll(Math.min(1, seen.pages / (step.value.pages || 1))) });
    await seen.loads.take(step.value);
  }
  // A walk has a first page, or it has failed.
  await conclude(loader, seen!, step.value);
}

type Loader = {
  readonly run: Run;
  readonly account: KnownAccount;
  /** The day, in the account's zone, that balances are told on. */
  readonly day: Day;
  readonly at: AnchoredClock;
  readonly began: number;
};

async function begin({ run, account, day, at }: Loader, first: WalkedPage): Promise<Seen> {
  const walk = await beginWalk(run.warehouse, {
    ...{ runId: run.id, accountId: account.id, runDate: run.runDate, day },
    startedAt: at(first.response.requestedAt),
  });
  const source = { runId: run.id, accountId: account.id, walk: walk.id, day };
  const loads = createWalkLoads(run, source, at);
  return { walk, loads, pages: 0, rejected: [], unreadable: null };
}

/** Takes in what a page says besides what is loaded of it. */
async function notePage(
  { run, account }: Loader,
  page: WalkedPage,
  seen: Seen,
  said: Set<string>,
): Promise<void> {
  const fresh = (text: string) => !said.has(text) && said.add(text);
  const rejects = page.rejects.filter(({ payload }) => fresh(payload));
  const source = { runId: run.id, accountId: account.id, operation: 'getClients', day: null };
  await quarantine(run.warehouse, source, rejects);
  run.stats.rejects += rejects.length;
  for (const remark of page.remarks.filter(fresh))
    run.log.warn({ account: account.name }, `${account.name}: ${remark}`);
  seen.pages++;
  seen.rejected.push(...page.rejects.map((reject) => reject.id));
  // What stood of these clients stands; the other pages are none the worse.
  if (mostlyUnreadable(page))
    seen.unreadable ??= `${page.rejects.length} of ${page.records.length + page.rejects.length} records of a page can't be read`;
}

async function conclude({ run, account, began }: Loader, seen: Seen, end: WalkEnd): Promise<void> {
  const problem = end.complete ? null : end.problem;
  const { ids } = end;
  for (const id of seen.rejected) if (id !== null) ids.add(id);
  const changes = await seen.loads.finish();
  const { clients } = run.stats;
  clients.pages += seen.pages;
  clients.listed += ids.size;
  run.log.info(
    { account: account.name, pages: seen.pages, clients: ids.size, ms: msSince(began) },
    `${account.name}: ${ids.size} clients on ${seen.pages} pages, ${changes} new or changed`,
  );
  const fault = problem ?? seen.unreadable;
  if (fault !== null) await failWalk(run.warehouse, seen.walk, fault);
  if (problem !== null) {
    clients.incompleteWalks++;
    throw walkIncomplete(account.name, problem);
  }
  if (fault !== null) throw invalidResponse({ account: account.name, about: 'clients' }, fault);
  await enterWalk(run, account, seen, ids, changes > 0);
}

async function enterWalk(
  run: Run,
  account: Account,
  { walk, rejected }: Seen,
  ids: IdSet,
  changed: boolean,
): Promise<void> {
  const { absent, unbelievable } = await recordCompleteWalk(run.warehouse, {
    ...walk,
    seen: rejected.includes(null) ? null : ids,
    allLoaded: rejected.length === 0,
    changed,
  });
  run.stats.clients.absent += absent;
  if (absent > 0) run.log.info({ account: account.name }, `${account.name}: ${absent} clients are absent`);
  if (unbelievable === 0) return;
  run.log.warn(
    { account: account.name },
    `${account.name}: ${unbelievable} clients are missing, over half of the list: nobody is marked absent`,
  );
}
