import { formatCountOf, formatList } from '../support/english.ts';
import { pruneBodies } from '../warehouse/archive/archive.ts';
import { pruneHistory } from '../warehouse/retention/prune-history.ts';
import type { Run } from './run/run.ts';

/** Deletes texts that nobody needs after 400 days, and bodies that no response of the last `ARCHIVE_DAYS` had. */
export async function prune({ warehouse, log, config }: Run): Promise<void> {
  const pruned = await pruneHistory(warehouse);
  const { mails, summaries, records } = pruned;
  const what = [
    formatCountOf(mails, 'message of a digest', 'messages of digests'),
    formatCountOf(summaries, 'summary of a run', 'summaries of runs'),
    formatCountOf(records, 'record in quarantine', 'records in quarantine'),
  ];
  if (mails + summaries + records > 0)
    log.info(pruned, `history: ${formatList(what)} deleted, older than 400 days`);
  const { archiveDays } = config.planning;
  if (archiveDays === null) return;
  const { bodies, bytes } = await pruneBodies(warehouse, archiveDays);
  if (bodies === 0) return;
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
  log.info(
    { bodies, bytes },
    `archive: ${formatCountOf(bodies, 'body', 'bodies')} deleted (${size}), not referenced for ${archiveDays} days`,
  );
}
