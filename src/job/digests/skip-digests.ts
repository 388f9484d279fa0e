import type { Day } from '../../model/day.ts';
import { today } from '../../planning/business-day.ts';
import { skipDeliveries } from '../../warehouse/outbox/deliveries.ts';
import { skipDigest } from '../../warehouse/outbox/digests.ts';
import type { AppContext } from '../run/app-context.ts';
import { dueCorrections, dueDigests } from './due-digests.ts';

type DueContext = Pick<AppContext, 'config' | 'warehouse' | 'clock'>;

/** Skips a digest of a day and its correction; gives a line that reports it. */
export async function skipOne({ warehouse }: DueContext, name: string, day: Day): Promise<string> {
  const before = await skipDigest(warehouse, { name, day, kind: 'first' }, null);
  const open = before ? 0 : await skipDeliveries(warehouse, { name, day });
  if (!before) await skipDigest(warehouse, { name, day, kind: 'corrected' }, null);
  return `${name} of ${day}: ${before ? 'skipped' : `${open} deliveries skipped`}`;
}

/**
 * Silences a restored backup or a staging copy: nothing that is due or open now is sent, by no later run either.
 * What its own runs load from now on is mailed.
 */
export async function skipAll(app: DueContext): Promise<string> {
  const runDate = today(app.clock(), app.config.planning.timeZone);
  const { due, skipped } = await dueDigests(app, runDate, []);
  const corrections = await dueCorrections(app, runDate);
  const digests = [
    ...[...due, ...skipped].map(({ digest, day }) => ({ name: digest.name, day, kind: 'first' as const })),
    ...corrections.map(({ digest, day }) => ({ name: digest.name, day, kind: 'corrected' as const })),
  ];
  for (const digest of digests) await skipDigest(app.warehouse, digest, null);
  const open = await skipDeliveries(app.warehouse, null);
  return `${digests.length} digests and ${open} deliveries skipped`;
}
