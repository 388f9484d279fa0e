import { newMessageId, toMime } from '../../mail/message.ts';
import type { Day } from '../../model/day.ts';
import type { DigestDefinition } from '../../model/digest.ts';
import type { Window } from '../../model/window.ts';
import { uncorrectedDigests } from '../../warehouse/outbox/corrections.ts';
import { freezeDigest, waiveDigest } from '../../warehouse/outbox/digests.ts';
import type { Parts } from '../run/parts.ts';
import type { Run } from '../run/run.ts';
import { composeFromWarehouse } from './compose-digest.ts';
import type { DigestOccasion } from './digest-figures.ts';
import { owedCorrections, owedDigests } from './owed-digests.ts';

/** Builds and freezes the digests that are owed now that the tries of `windows` are over; or waives them. */
export async function makeDigests(run: Run, windows: readonly Window[], wanted: boolean): Promise<void> {
  const { owed, waived } = await owedDigests(run, run.night, windows);
  if (!wanted) return await waiveDays(run, windows, [...owed, ...waived]);
  // The newest first, for it waives the days that it names: killed in between, the next run owes just the rest.
  for (const { digest, day, earlierDays } of owed.toReversed()) {
    if (!(await buildDigest(run, digest, day, { earlierDays, before: null }, run.id))) continue;
    run.tally.digests.built++;
    run.tally.digests.waived += earlierDays.length;
  }
  for (const { digest, day, before } of await owedCorrections(run, run.night)) {
    if (await buildDigest(run, digest, day, { earlierDays: [], before }, run.id))
      run.tally.digests.corrected++;
  }
}

/** Without a digest, the days of this run are waived, with their corrections, and no other's. */
async function waiveDays(
  run: Run,
  windows: readonly Window[],
  owed: readonly { readonly digest: DigestDefinition; readonly day: Day }[],
): Promise<void> {
  const asked = windows.map((window) => window.day).sort();
  const isAsked = ({ day }: { readonly day: Day }) => asked.includes(day);
  for (const { digest, day } of owed.filter(isAsked)) {
    if (await waiveDigest(run.warehouse, { name: digest.name, day, kind: 'first' }, run.id))
      run.tally.digests.waived++;
  }
  if (asked.length === 0) return;
  for (const { name, day } of (await uncorrectedDigests(run.warehouse, asked[0]!)).filter(isAsked))
    await waiveDigest(run.warehouse, { name, day, kind: 'corrected' }, run.id);
}

/** Builds one digest from the warehouse and freezes it; false where that was done or waived before. */
export async function buildDigest(
  parts: Pick<Parts, 'warehouse' | 'config' | 'clock' | 'log'>,
  digest: DigestDefinition,
  day: Day,
  occasion: DigestOccasion,
  runId: number | null,
): Promise<boolean> {
  const { mail } = parts.config;
  const { figures, message } = await composeFromWarehouse(parts, digest, day, occasion);
  const builtAt = new Date(parts.clock().epochMilliseconds);
  const built = await freezeDigest(parts.warehouse, {
    name: digest.name,
    day,
    kind: occasion.before === null ? 'first' : 'corrected',
    incomplete: figures.accounts.some((account) => account.state !== 'loaded'),
    subject: message.subject,
    mime: await toMime(message, mail, builtAt),
    told: figures.accounts,
    runId,
    earlierDays: occasion.earlierDays,
    deliveries: digest.to.map((recipient) => ({ recipient, messageId: newMessageId(mail.from) })),
  });
  if (built) parts.log.info({ digest: digest.name, day }, `digest built: ${message.subject}`);
  return built;
}
