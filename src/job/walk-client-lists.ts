import { Failure } from '../model/failure.ts';
import { mostlyUnreadable } from '../model/records.ts';
import { notUnderstood, walkIncomplete } from '../service/failures.ts';
import type { WalkedPage } from '../service/walk-clients.ts';
import { noteCompleteWalk, upsertClients } from '../warehouse/clients.ts';
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

/** What one walk over a list brought. */
type Seen = { pages: number; listed: number; written: number };

async function walkClientList(run: Run, account: KnownAccount): Promise<void> {
  const { pageLimit, balance } = run.config.service;
  const startedAt = await databaseClock(run.warehouse);
  const walk = run.service.walkClients(account, { limit: pageLimit, balance });
  const seen: Seen = { pages: 0, listed: 0, written: 0 };
  const said = new Set<string>();
  let step = await walk.next();
  for (; !step.done; step = await walk.next()) await loadPage(run, account, step.value, seen, said);

  const { clients } = run.tally;
  clients.pages += seen.pages;
  clients.listed += seen.listed;
  clients.written += seen.written;
  run.log.info(
    { account: account.name, ...seen },
    `${account.name}: ${seen.listed} clients on ${seen.pages} pages, ${seen.written} new or changed`,
  );
  if (!step.value.complete) {
    clients.incompleteWalks++;
    throw walkIncomplete(account.name, step.value.problem);
  }
  const timeZone = run.config.planning.timeZone;
  await noteCompleteWalk(run.warehouse, account.id, { startedAt, timeZone, changed: seen.written > 0 });
}

/** @param said what was said and quarantined of this list already: a list that is walked again repeats itself */
async function loadPage(run: Run, account: KnownAccount, page: WalkedPage, seen: Seen, said: Set<string>) {
  const fresh = (text: string) => !said.has(text) && said.add(text);
  const rejects = page.rejects.filter(({ payload }) => fresh(payload));
  const source = { runId: run.id, accountId: account.id, operation: 'getClients', day: null };
  await quarantine(run.warehouse, source, rejects);
  run.tally.rejects += rejects.length;
  for (const remark of page.remarks.filter(fresh))
    run.log.warn({ account: account.name }, `${account.name}: ${remark}`);
  if (mostlyUnreadable(page)) {
    const of = `${page.rejects.length} of ${page.records.length + page.rejects.length}`;
    throw notUnderstood({ account: account.name, about: 'clients' }, `${of} records of a page can't be read`);
  }
  if (page.first) Object.assign(seen, { pages: 0, listed: 0 });
  seen.pages++;
  seen.listed += page.records.length;
  seen.written += await upsertClients(run.warehouse, account.id, page.records);
}
