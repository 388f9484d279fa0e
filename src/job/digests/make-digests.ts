import { newMessageId, toMime } from '../../mail/message.ts';
import type { Day } from '../../model/day.ts';
import type { DigestDefinition } from '../../model/digest.ts';
import type { Window } from '../../model/window.ts';
import { uncorrectedDigests } from '../../warehouse/outbox/corrections.ts';
import { freezeDigest, skipDigest } from '../../warehouse/outbox/digests.ts';
import type { AppContext } from '../run/app-context.ts';
import type { Run } from '../run/run.ts';
import { composeFromWarehouse } from './compose-digest.ts';
import type { DigestOccasion } from './digest-figures.ts';
import { dueCorrections, dueDigests } from './due-digests.ts';

/** Builds and freezes the digests that are due after the attempts at `windows`, or skips them. */
export async function makeDigests(run: Run, windows: readonly Window[], wanted: boolean): Promise<void> {
  const { due, skipped } = await dueDigests(run, run.runDate, windows);
  if (!wanted) return await skipDays(run, windows, [...due, ...skipped]);
  // The newest first, for it skips the days that it names: after a crash in between, only the rest is due.
  for (const { digest, day, earlierDays } of due.toReversed()) {
    if (!(await buildDigest(run, digest, day, { earlierDays, before: null }, run.id))) continue;
    run.stats.digests.built++;
    run.stats.digests.skipped += earlierDays.length;
  }
  for (const { digest, day, before } of await dueCorrections(run, run.runDate)) {
    if (await buildDigest(run, digest, day, { earlierDays: [], before }, run.id))
      run.stats.digests.corrected++;
  }
}

/** Without a digest, the days of this run are skipped, with their corrections, and no other's. */
async function skipDays(
  { warehouse, id, stats }: Pick<Run, 'warehouse' | 'id' | 'stats'>,
  windows: readonly Window[],
  due: readonly { readonly digest: DigestDefinition; readonly day: Day }[],
): Promise<void> {
  const days = windows.map((window) => window.day).sort();
  const isOfRun = ({ day }: { readonly day: Day }) => days.includes(day);
  for (const { digest, day } of due.filter(isOfRun)) {
    if (await skipDigest(warehouse, { name: digest.name, day, kind: 'first' }, id)) stats.digests.skipped++;
  }
  if (days.length === 0) return;
  const uncorrected = await uncorrectedDigests(warehouse, days[0]!);
  for (const { name, day } of uncorrected.filter(isOfRun))
    await skipDigest(warehouse, { name, day, kind: 'corrected' }, id);
}

/** Builds one digest from the warehouse and freezes it; false where that was done or skipped before. */
export async function buildDigest(
  app: Pick<AppContext, 'warehouse' | 'config' | 'clock' | 'log'>,
  digest: DigestDefinition,
  day: Day,
  occasion: DigestOccasion,
  runId: number | null,
): Promise<boolean> {
  const { mail } = app.config;
  const { figures, message } = await composeFromWarehouse(app, digest, day, occasion);
  const builtAt = new Date(app.clock().epochMilliseconds);
  const built = await freezeDigest(app.warehouse, {
    name: digest.name,
    day,
    kind: occasion.before === null ? 'first' : 'corrected',
    incomplete: figures.accounts.some((account) => account.state !== 'loaded'),
    subject: message.subject,
    mime: await toMime(message, mail, builtAt),
    reported: figures.accounts,
    runId,
    earlierDays: occasion.earlierDays,
    deliveries: digest.to.map((recipient) => ({ recipient, messageId: newMessageId(mail.from) })),
  });
  if (built) app.log.info({ digest: digest.name, day }, `digest built: ${message.subject}`);
  return built;
}
