import { Failure } from '../model/failure.ts';
import { mostlyUnreadable } from '../model/records.ts';
import { today } from '../planning/business-day.ts';
import { notUnderstood, walkIncomplete } from '../service/failures.ts';
import type { WalkedPage } from '../service/walk-clients.ts';
import { enterCompleteWalk } from '../warehouse/client-walks.ts';
import { upsertClients } from '../warehouse/clients.ts';
import { quarantine } from '../warehouse/rejects.ts';
import { databaseClock } from '../warehouse/runs.ts';
import type { Run } from './run.ts';
import type { KnownAccount } from './select-accounts.ts';
import { told } from './tally.ts';

/** Walks the client pages of each account and upserts them page by page. */
export async function walkClientLists(run: Run, accounts: readonly KnownAccount[]): Promise<void> {
  for (const account of accounts) {
    try {
      await walkClientList(run, account);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'warehouse unavailable') throw error;
      run.tally.failures.push(told(error, account.name, null));
      run.log.error({ account: account.name }, error.line);
    }
  }
}

/** What is known of a list while it is walked. */
type Seen = {
  pages: number;
  readonly ids: Set<number>;
  /** Records whose very id can't be read: they may be anybody. */
  unnamed: number;
  /** Of a page of which over half can't be read; null where there was none. */
  unreadable: string | null;
  changes: number;
  /** What was said and quarantined already: a list that is walked again repeats itself. */
  readonly said: Set<string>;
};

async function walkClientList(run: Run, account: KnownAccount): Promise<void> {
  const { pageLimit, balance } = run.config.service;
  const { clients } = run.tally;
  const startedAt = await databaseClock(run.warehouse);
  const walk = run.service.walkClients(account, { limit: pageLimit, balance });
  const seen: Seen = { pages: 0, ids: new Set(), unnamed: 0, unreadable: null, changes: 0, said: new Set() };
  let step = await walk.next();
  for (; !step.done; step = await walk.next()) await loadPage(run, account, step.value, seen);

  clients.pages += seen.pages;
  clients.listed += seen.ids.size;
  run.log.info(
    { account: account.name, pages: seen.pages, clients: seen.ids.size },
    `${account.name}: ${seen.ids.size} clients on ${seen.pages} pages, ${seen.changes} new or changed`,
  );
  if (!step.value.complete) {
    clients.incompleteWalks++;
    throw walkIncomplete(account.name, step.value.problem);
  }
  if (seen.unreadable !== null)
    throw notUnderstood({ account: account.name, about: 'clients' }, seen.unreadable);
  await enterWalk(run, account, startedAt, seen);
}

async function enterWalk(run: Run, account: KnownAccount, startedAt: string, seen: Seen): Promise<void> {
  const { absent, unbelievable } = await enterCompleteWalk(run.warehouse, {
    accountId: account.id,
    startedAt,
    night: run.night,
    seen: seen.unnamed > 0 ? null : [...seen.ids],
    changed: seen.changes > 0,
  });
  run.tally.clients.absent += absent;
  if (absent > 0) run.log.info({ account: account.name }, `${account.name}: ${absent} clients are absent`);
  if (unbelievable === 0) return;
  run.log.warn(
    { account: account.name },
    `${account.name}: ${unbelievable} clients are missing, over half of the list: nobody is marked absent`,
  );
}

async function loadPage(run: Run, account: KnownAccount, page: WalkedPage, seen: Seen): Promise<void> {
  const { clients } = run.tally;
  if (page.first) {
    seen.pages = 0;
    seen.ids.clear();
    seen.unnamed = 0;
  }
  const fresh = (text: string) => !seen.said.has(text) && seen.said.add(text);
  const rejects = page.rejects.filter(({ payload }) => fresh(payload));
  const source = { runId: run.id, accountId: account.id, operation: 'getClients', day: null };
  await quarantine(run.warehouse, source, rejects);
  run.tally.rejects += rejects.length;
  for (const remark of page.remarks.filter(fresh))
    run.log.warn({ account: account.name }, `${account.name}: ${remark}`);
  seen.pages++;
  for (const { id } of page.rejects) {
    if (id === null) seen.unnamed++;
    else seen.ids.add(id);
  }
  // What stood of these clients stands; the other pages are none the worse.
  if (mostlyUnreadable(page)) {
    seen.unreadable ??= `${page.rejects.length} of ${page.records.length + page.rejects.length} records of a page can't be read`;
    return;
  }
  const day = today(run.clock(), account.timeZone);
  const { appeared, changed, returned } = await upsertClients(run.warehouse, account.id, day, page.records);
  clients.appeared += appeared;
  clients.changed += changed;
  clients.returned += returned;
  seen.changes += appeared + changed + returned;
  for (const { clientId } of page.records) seen.ids.add(clientId);
}
