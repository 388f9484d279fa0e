import type { Config } from '../../config/config.ts';
import { lackingAccounts, provisionalAccounts } from '../../digest/content/totals.ts';
import { newMessageId } from '../../mail/message.ts';
import { type Day, daysBetween, today, yesterday } from '../../model/day.ts';
import type { DigestDefinition, EarlierPeriod } from '../../model/digest.ts';
import { type DigestKey, digestName, periodOf } from '../../model/period.ts';
import type { Window } from '../../model/window.ts';
import { formatCountOf } from '../../support/english.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { skipDeliveries } from '../../warehouse/outbox/deliveries.ts';
import {
  type BuiltDigest,
  freezeDigest,
  type ReportedPeriod,
  skipDigest,
  skipDigests,
} from '../../warehouse/outbox/digests.ts';
import { readPeriods } from '../../warehouse/outbox/periods.ts';
import type { AppContext } from '../run/app-context.ts';
import { reportDigestFailure, toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';
import { composeFromWarehouse } from './compose-digest.ts';
import type { DueMail } from './due.ts';
import { dueMails, firstDays, openDigests } from './read-due.ts';

/**
 * Builds and freezes the digests that are due after the attempts at `windows`; skips them if no digest is wanted.
 */
export async function makeDigests(run: Run, windows: readonly Window[], wanted: boolean): Promise<void> {
  if (!wanted) return await skipDays(run, windows);
  for (const mail of await dueMails(run, windows)) {
    if (!(await tryBuild(run, mail))) continue;
    for (const { before } of [mail, ...mail.earlier])
      run.stats.digests[before === null ? 'built' : 'corrected']++;
  }
}

/** Builds and freezes a mail; returns false if its period was built or skipped before. */
export async function buildDigest(run: Run, due: DueMail): Promise<boolean> {
  const { mail } = run.config;
  const { digest, day } = due;
  const { name, every } = digest;
  const builtAt = new Date(run.clock().epochMilliseconds);
  const { figures, message, mime } = await composeFromWarehouse(
    run,
    digest,
    periodOf(every, day),
    due,
    builtAt,
  );
  const built: BuiltDigest = {
    name,
    every,
    ...reportedPeriod(figures),
    subject: message.subject,
    mime,
    runId: run.id,
    builtAt: figures.readAt,
    earlier: figures.earlier.map(reportedPeriod),
    recipients: digest.to,
    supersedes: due.supersedes,
  };
  const isFrozen = await freezeDigest(run.warehouse, built, () => newMessageId(mail.from));
  if (isFrozen) run.log.debug({ digest: name, day }, `digest built: ${message.subject}`);
  return isFrozen;
}

const reportedPeriod = ({ period, accounts, before }: EarlierPeriod): ReportedPeriod => ({
  day: period.to,
  kind: before === null ? 'first' : 'corrected',
  incomplete: lackingAccounts({ accounts }).length > 0,
  isProvisional: provisionalAccounts({ accounts }).length > 0,
  reported: accounts,
});

/** Builds a mail among others, which go on if it can't be built. */
async function tryBuild(run: Run, due: DueMail): Promise<boolean> {
  try {
    return await buildDigest(run, due);
  } catch (error) {
    const { digest, day } = due;
    const { name, every } = digest;
    const subject = `digest ${digestName({ name, every, day })}`;
    reportDigestFailure(run, { digest: name, day }, toItemFailure(error, run, subject));
    return false;
  }
}

/** Skips the digests of this run's days and their corrections, and no others. */
async function skipDays(run: Run, windows: readonly Window[]): Promise<void> {
  const { warehouse, id, stats } = run;
  const days = new Set(windows.map((window) => window.day));
  if (days.size === 0) return;
  const isOfRun = ({ day }: { readonly day: Day }) => days.has(day);
  const due = await openDigests(run, run.runDate, windows);
  const first = due.filter(isOfRun).map(({ digest, day }) => keyOf(digest, day));
  stats.digests.skipped += await skipDigests(warehouse, first, 'first', id);
  const corrections = await correctablePeriods(warehouse, run.runDate);
  await skipDigests(warehouse, corrections.filter(isOfRun), 'corrected', id);
}

/** Skips the digest of a day's period and its correction; returns a line that reports it. */
export async function skipOne(
  { warehouse }: AppContext,
  digest: DigestDefinition,
  day: Day,
): Promise<string> {
  const key = keyOf(digest, periodOf(digest.every, day).to);
  if (await skipDigest(warehouse, { ...key, kind: 'first' }, null)) return `${digestName(key)}: skipped`;
  const open = await skipDeliveries(warehouse, key);
  await skipDigest(warehouse, { ...key, kind: 'corrected' }, null);
  return `${digestName(key)}: ${formatCountOf(open, 'delivery', 'deliveries')} skipped`;
}

const correctablePeriods = async (queries: Queries, since: Day): Promise<readonly DigestKey[]> =>
  (await readPeriods(queries, since)).filter(({ correctable }) => correctable !== null);

const keyOf = ({ name, every }: DigestDefinition, day: Day): DigestKey => ({ name, every, day });

/**
 * Silences a restored backup or a staging copy: no later run sends what is open now, or a digest or correction of
 * a period that is over, loaded or not. Mails unknown to this outbox may have gone out since the backup.
 */
export async function skipAll(app: AppContext): Promise<string> {
  const { config, warehouse } = app;
  const runDate = today(app.clock(), config.planning.timeZone);
  const due = await openDigests(app, runDate, windowsInReach(config, app.clock()));
  const first = due.map(({ digest, day }) => keyOf(digest, day));
  const digests = await skipDigests(warehouse, first, 'first', null);
  const corrections = await correctablePeriods(warehouse, runDate);
  await skipDigests(warehouse, corrections, 'corrected', null);
  const open = await skipDeliveries(warehouse, null);
  return [
    formatCountOf(digests, 'digest'),
    formatCountOf(corrections.length, 'correction'),
    `${formatCountOf(open, 'delivery', 'deliveries')} skipped`,
  ].join(', ');
}

/** All days that a run may still sync, for each account. */
function windowsInReach(config: Config, now: Temporal.Instant): Window[] {
  const first = firstDays(config, now);
  return config.accounts.flatMap(({ name, timeZone }) =>
    daysBetween(first.get(name)!, yesterday(now, timeZone)).map((day) => ({ account: name, day })),
  );
}
