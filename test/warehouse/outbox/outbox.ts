import { newMessageId } from '../../../src/mail/message.ts';
import type { DigestKey } from '../../../src/model/period.ts';
import type { Warehouse } from '../../../src/warehouse/db/database.ts';
import { type BuiltDigest, freezeDigest } from '../../../src/warehouse/outbox/digests.ts';

/** Freezes a digest with a delivery to each recipient. */
export async function freeze(
  warehouse: Warehouse,
  { name, every, day }: DigestKey,
  recipients: readonly string[],
  part: Partial<BuiltDigest> = {},
): Promise<boolean> {
  const kind = part.kind ?? 'first';
  const digest: BuiltDigest = {
    name,
    every,
    day,
    kind,
    incomplete: false,
    isProvisional: false,
    subject: name,
    mime: `mime of ${name}`,
    reported: [],
    runId: null,
    builtAt: new Date().toISOString(),
    earlier: [],
    recipients,
    supersedes: [],
    ...part,
  };
  return await freezeDigest(warehouse, digest, () => newMessageId('callsheet@example.com'));
}
