import { newMessageId, toMime } from '../mail/message.ts';
import type { Window } from '../model/window.ts';
import type { OwedDigest } from '../planning/digests-owed.ts';
import { freezeDigest, waiveDigest } from '../warehouse/outbox.ts';
import { composeFromWarehouse } from './compose-digest.ts';
import { owedDigests } from './owed-digests.ts';
import type { Parts } from './parts.ts';
import type { Run } from './run.ts';

/** Builds and freezes the digests that are owed now that the tries of `windows` are over; or waives them. */
export async function makeDigests(run: Run, windows: readonly Window[], wanted: boolean): Promise<void> {
  const { owed, waived } = await owedDigests(run, run.night, windows);
  if (!wanted) return await waive(run, windows, [...owed, ...waived]);
  // The newest first, for it waives the days that it names: killed in between, the next run owes just the rest.
  for (const each of owed.toReversed()) {
    if (!(await buildDigest(run, each, run.id))) continue;
    run.tally.digests.built++;
    run.tally.digests.waived += each.earlierDays.length;
  }
}

/** Without a digest, the days of this run are waived, and no other's. */
async function waive(
  run: Run,
  windows: readonly Window[],
  owed: readonly Pick<OwedDigest, 'digest' | 'day'>[],
): Promise<void> {
  const asked = new Set(windows.map((window) => window.day));
  for (const { digest, day } of owed.filter((each) => asked.has(each.day))) {
    if (await waiveDigest(run.warehouse, digest.name, day, run.id)) run.tally.digests.waived++;
  }
}

/** Builds one digest from the warehouse and freezes it; false where that was done or waived before. */
export async function buildDigest(
  parts: Pick<Parts, 'warehouse' | 'config' | 'clock' | 'log'>,
  { digest, day, earlierDays }: OwedDigest,
  runId: number | null,
): Promise<boolean> {
  const { mail } = parts.config;
  const { figures, message } = await composeFromWarehouse(parts, digest, day, { earlierDays, before: null });
  const builtAt = new Date(parts.clock().epochMilliseconds);
  const built = await freezeDigest(parts.warehouse, {
    name: digest.name,
    day,
    incomplete: figures.accounts.some((account) => account.state !== 'loaded'),
    subject: message.subject,
    mime: await toMime(message, mail, builtAt),
    runId,
    earlierDays,
    deliveries: digest.to.map((recipient) => ({ recipient, messageId: newMessageId(mail.from) })),
  });
  if (built) parts.log.info({ digest: digest.name, day }, `digest built: ${message.subject}`);
  return built;
}
