import type { Day } from '../../model/day.ts';
import { today } from '../../planning/business-day.ts';
import { waiveDeliveries } from '../../warehouse/outbox/deliveries.ts';
import { waiveDigest } from '../../warehouse/outbox/digests.ts';
import type { Parts } from '../run/parts.ts';
import { owedCorrections, owedDigests } from './owed-digests.ts';

type Asking = Pick<Parts, 'config' | 'warehouse' | 'clock'>;

/** Decides that a digest of a day is not sent, nor corrected; gives a line that says what that came to. */
export async function waiveOne({ warehouse }: Asking, name: string, day: Day): Promise<string> {
  const before = await waiveDigest(warehouse, { name, day, kind: 'first' }, null);
  const open = before ? 0 : await waiveDeliveries(warehouse, { name, day });
  if (!before) await waiveDigest(warehouse, { name, day, kind: 'corrected' }, null);
  return `${name} of ${day}: ${before ? 'waived' : `${open} deliveries waived`}`;
}

/**
 * Silences a restored backup or a staging copy: nothing that is owed or open now is sent, by no later run either.
 * What its own runs load from now on is mailed.
 */
export async function waiveAll(parts: Asking): Promise<string> {
  const night = today(parts.clock(), parts.config.planning.timeZone);
  const { owed, waived } = await owedDigests(parts, night, []);
  const corrections = await owedCorrections(parts, night);
  const digests = [
    ...[...owed, ...waived].map(({ digest, day }) => ({ name: digest.name, day, kind: 'first' as const })),
    ...corrections.map(({ digest, day }) => ({ name: digest.name, day, kind: 'corrected' as const })),
  ];
  for (const digest of digests) await waiveDigest(parts.warehouse, digest, null);
  const open = await waiveDeliveries(parts.warehouse, null);
  return `${digests.length} digests and ${open} deliveries waived`;
}
