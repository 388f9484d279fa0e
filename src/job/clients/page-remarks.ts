import type { ClientPage } from '../../service/operations.ts';
import { quarantine } from '../../warehouse/load/rejects.ts';
import type { Run } from '../run/run.ts';
import type { KnownAccount } from '../run/select-accounts.ts';

/** Logs the remarks on a list's pages and quarantines their rejects, each once, though a restarted walk repeats them. */
export function createPageRemarks(
  { warehouse, id, stats, log }: Pick<Run, 'warehouse' | 'id' | 'stats' | 'log'>,
  account: KnownAccount,
) {
  const source = {
    runId: id,
    accountId: account.id,
    operation: 'getClients',
    day: null,
  };
  const rejects = new Set<string>();
  const remarks = new Set<string>();
  return {
    async report(page: ClientPage): Promise<void> {
      const newRejects = page.rejects.filter(({ payload }) => !rejects.has(payload));
      for (const { payload } of newRejects) rejects.add(payload);
      await quarantine(warehouse, source, newRejects);
      stats.rejects += newRejects.length;
      for (const remark of page.remarks.filter((each) => !remarks.has(each))) {
        remarks.add(remark);
        log.warn({ account: account.name }, `${account.name}: ${remark}`);
      }
    },
  };
}
