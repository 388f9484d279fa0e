import { pruneBodies } from '../../warehouse/archive/archive.ts';
import type { Run } from './run.ts';

/** Forgets the bodies that no answer of the last `ARCHIVE_DAYS` had; without the setting, none. */
export async function pruneArchive({
  warehouse,
  config,
  log,
}: Pick<Run, 'warehouse' | 'config' | 'log'>): Promise<void> {
  const { archiveDays } = config.planning;
  if (archiveDays === null) return;
  const { bodies, bytes } = await pruneBodies(warehouse, archiveDays);
  if (bodies === 0) return;
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
  log.info(
    { bodies, bytes },
    `archive: ${bodies} bodies forgotten (${size}) that no answer of the last ${archiveDays} days had`,
  );
}
