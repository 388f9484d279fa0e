import { Failure } from '../model/failure.ts';
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

async function walkClientList(run: Run, account: KnownAccount): Promise<void> {
  const { tally, warehouse } = run;
  const startedAt = await databaseClock(warehouse);
  const { pageLimit, balance } = run.config.service;
  const walk = run.service.walkClients(account, { limit: pageLimit, balance });
  const seen = { pages: 0, listed: 0, written: 0 };
  let step = await walk.next();
  for (; !step.done; step = await walk.next()) {
    const { records, rejects } = step.value;
    seen.pages++;
    seen.listed += records.length;
    seen.written += await upsertClients(warehouse, account.id, records);
    tally.rejects += rejects.length;
    await quarantine(
      warehouse,
      { runId: run.id, accountId: account.id, operation: 'getClients', day: null },
      rejects,
    );
  }
  tally.clients.pages += seen.pages;
  tally.clients.listed += seen.listed;
  tally.clients.written += seen.written;
  if (step.value.complete) {
    const timeZone = run.config.planning.timeZone;
    await noteCompleteWalk(warehouse, account.id, { startedAt, timeZone, changed: seen.written > 0 });
    run.log.info(
      { account: account.name, ...seen },
      `${account.name}: ${seen.listed} clients on ${seen.pages} pages, ${seen.written} new or changed`,
    );
  } else {
    tally.clients.incompleteWalks++;
    run.log.warn(
      { account: account.name, ...seen },
      `${account.name}: the walk over its clients is incomplete (${step.value.problem}); ${seen.listed} were seen`,
    );
  }
}
