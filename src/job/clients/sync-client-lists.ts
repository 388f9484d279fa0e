import { msSince } from '../../support/clock.ts';
import { formatCountOf } from '../../support/english.ts';
import type { KnownAccount } from '../run/accounts.ts';
import { fieldsOfError } from '../run/error-of-one.ts';
import type { Run } from '../run/run.ts';
import { reportedError } from '../run/run-stats.ts';
import { type ClientListResult, type ListContext, syncClientList } from './sync-client-list.ts';

/** Syncs the client list of each account. */
export async function syncClientLists(
  run: ListContext & Pick<Run, 'report'>,
  accounts: readonly KnownAccount[],
): Promise<void> {
  for (const [index, account] of accounts.entries()) {
    const began = performance.now();
    const result = await syncClientList(run, account, (page, pages) => {
      const share = Math.min(1, pages / (page.pages || 1));
      run.report({
        pages: run.stats.clients.pages + pages,
        share: (index + share) / accounts.length,
      });
    });
    reportClientList(run, account.name, result, msSince(began));
  }
}

function reportClientList(
  { stats, log }: Pick<Run, 'stats' | 'log'>,
  account: string,
  { walked, absences, changed, error }: ClientListResult,
  ms: number,
): void {
  if (walked !== null) {
    const { pages, clients, changes } = walked;
    stats.clients.pages += pages;
    stats.clients.listed += clients;
    const line = `${account}: ${formatCountOf(clients, 'client')} on ${formatCountOf(pages, 'page')}, ${changes} new or changed`;
    log.info({ account, pages, clients, ms }, line);
  }
  if (absences !== null) {
    const { absent, unbelievable } = absences;
    stats.clients.absent += absent;
    if (absent > 0) log.info({ account }, `${account}: ${formatCountOf(absent, 'client')} absent`);
    if (unbelievable > 0) log.warn({ account }, unbelievableLine(account, unbelievable));
  }
  if (changed !== null) log.warn({ account }, changedLine(account, changed));
  if (error !== null) {
    if (walked !== null) stats.clients.incompleteWalks++;
    stats.failures.push(reportedError(error, { step: 'clients', account, day: null, walked }));
    log.error(fieldsOfError(error, { account }), error.line);
  }
}

function changedLine(account: string, problem: string): string {
  return `${account}: the list changed during each walk (${problem}): nobody is marked absent, the next run walks it again`;
}

function unbelievableLine(account: string, missing: number): string {
  return `${account}: ${formatCountOf(missing, 'client')} missing, over half of the list: nobody is marked absent`;
}
