import { newMessageId } from '../../mail/message.ts';
import { addDays, type Day, today } from '../../model/day.ts';
import type { DigestDefinition } from '../../model/digest.ts';
import { type DigestKey, digestName, periodOf } from '../../model/period.ts';
import type { Window } from '../../model/window.ts';
import { formatCountOf } from '../../support/english.ts';
import type { SkippedDeliveries } from '../../warehouse/outbox/deliveries.ts';
import {
  freezeMail,
  readPeriodStates,
  type SkippedPeriod,
  skipByHand,
  skipPeriods,
} from '../../warehouse/outbox/mails.ts';
import type { AppContext } from '../run/app-context.ts';
import { reportFailures, toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';
import { windowKey } from '../windows/due.ts';
import { composeFromWarehouse } from './compose-digest.ts';
import {
  type DigestPeriod,
  type DueMail,
  endsOf,
  isInPart,
  isNews,
  periodsDue,
  planMail,
  whyNoneDue,
} from './due.ts';
import { candidateEnds, incompletePeriods, readDue, readFirstDays, readPeriods } from './read-due.ts';

/**
 * Builds and freezes the digests that are due after the attempts at `windows`. Returns why the run mails none, if it doesn't.
 *
 * @param days those of a dated run
 */
export async function makeDigests(
  run: Run,
  windows: readonly Window[],
  days: readonly Day[] | null,
): Promise<string> {
  const inputs = await readDue(run, run.runDate, windows);
  for (const [place, input] of inputs.entries()) {
    let mail = planMail(input);
    for (let attempt = 1; mail !== null && attempt <= maxAttempts; attempt++) {
      if ((await tryBuild(run, mail)) !== 'overtaken') break;
      mail = planMail((await readDue(run, run.runDate, windows))[place]!);
    }
  }
  if (run.stats.failures.some(({ step }) => step === 'digests')) return 'the digest failed';
  return whyNoneDue(inputs, days?.toSorted().at(-1) ?? addDays(run.runDate, -1));
}

/** A mail is planned again if somebody skips a period of it meanwhile. */
const maxAttempts = 3;

/** Builds and freezes a mail; returns false if another run was faster, or if somebody skipped a part of it. */
export async function buildDigest(run: Run, due: DueMail): Promise<boolean> {
  const { mail } = run.config;
  const { digest, day, number } = due;
  const { name, every } = digest;
  const { figures, mailed, message, mime } = await composeFromWarehouse(
    run,
    digest,
    periodOf(every, day),
    due,
  );
  const built = {
    name,
    every,
    day,
    number,
    isCorrection: due.before !== null,
    subject: message.subject,
    mime,
    runId: run.id,
    builtAt: figures.readAt,
    mailed,
    recipients: digest.to,
  };
  const isFrozen = await freezeMail(run.warehouse, built, () => newMessageId(mail.from));
  if (isFrozen) run.log.debug({ digest: name, day }, `digest built: ${message.subject}`);
  return isFrozen;
}

/** Builds a mail among others, which go on if it can't be built. */
async function tryBuild(run: Run, due: DueMail): Promise<'built' | 'overtaken' | 'failed'> {
  try {
    if (!(await buildDigest(run, due))) return 'overtaken';
    for (const { before } of [due, ...due.earlier])
      run.stats.digests[before === null ? 'built' : 'corrected']++;
    return 'built';
  } catch (error) {
    const { digest, day } = due;
    const { name, every } = digest;
    const subject = `digest ${digestName({ name, every, day })}`;
    const place = { step: 'digests', account: `digest ${name}`, day, digest: name } as const;
    reportFailures(run, toItemFailure(error, run, subject), [place]);
    return 'failed';
  }
}

const keyOf = ({ name, every }: DigestDefinition, day: Day): DigestKey => ({ name, every, day });

/** Skips the digests of these periods that weren't built. */
export async function skipHistory({ warehouse, stats }: Run, periods: readonly DigestKey[]): Promise<void> {
  const states = await readPeriodStates(warehouse, periods);
  const unbuilt = periods.filter((_, index) => states[index] === null);
  await skipPeriods(warehouse, unbuilt.map(skipWhole));
  stats.digests.skipped += unbuilt.length;
}

/** A whole period, whatever it contains later. */
const skipWhole = (key: DigestKey): SkippedPeriod => ({ ...key, accountId: null, content: null });

/** Skips the news of a period as of now; a later change is news again. */
const skipNews = (digest: DigestDefinition, { day, accounts }: DigestPeriod): SkippedPeriod[] =>
  accounts
    .filter(isNews)
    .map(({ now: { accountId, content } }) => ({ ...keyOf(digest, day), accountId, content }));

/** Skips the digests of this run's days, and what is news of them, and no others. Returns why the run mails none. */
export async function skipDays(run: Run, windows: readonly Window[]): Promise<string> {
  const days = new Set(windows.map(({ day }) => day));
  const isOfRun = ({ day }: DigestPeriod) => days.has(day);
  const inputs = await readDue(run, run.runDate, windows);
  const due = inputs.flatMap((input) =>
    periodsDue(input)
      .filter(isOfRun)
      .map(({ day }) => skipWhole(keyOf(input.digest, day))),
  );
  const news = inputs.flatMap(({ digest, updated }) =>
    updated.filter(isOfRun).flatMap((period) => skipNews(digest, period)),
  );
  await skipPeriods(run.warehouse, [...due, ...news]);
  run.stats.digests.skipped += due.length;
  return '--no-digest';
}

/** Skips a backfill's changes to periods that were mailed with confirmed figures. Other periods are corrected, whichever run loads them. */
export async function skipBackfilled(run: Run, windows: readonly Window[]): Promise<void> {
  const { warehouse, config } = run;
  const loaded = new Map(
    config.digests.map((digest) => [
      digest,
      new Set(windows.map(({ account, day }) => windowKey({ account, day: periodOf(digest.every, day).to }))),
    ]),
  );
  const ends = config.digests.flatMap((digest, place) =>
    endsOf(digest, windows).map((day) => ({ place, day })),
  );
  const periods = await readPeriods(warehouse, config.digests, ends, await readFirstDays(warehouse));
  const changed = periods.flatMap((period) => {
    const digest = config.digests[period.place]!;
    if (period.accounts.some(({ mailed }) => mailed !== undefined && isInPart(mailed))) return [];
    const accounts = period.accounts.filter(({ now: { account } }) =>
      loaded.get(digest)!.has(windowKey({ account, day: period.day })),
    );
    return skipNews(digest, { ...period, accounts });
  });
  await skipPeriods(warehouse, changed);
}

/** Skips the digest of a day's period, and whatever is news of it later; returns a line that reports it. */
export async function skipOne(
  { warehouse }: AppContext,
  digest: DigestDefinition,
  day: Day,
): Promise<string> {
  const key = keyOf(digest, periodOf(digest.every, day).to);
  const [state = null] = await readPeriodStates(warehouse, [key]);
  const deliveries = await skipByHand(warehouse, [skipWhole(key)], key);
  const isBuilt = state !== null || deliveries.skipped > 0;
  const skipped = isBuilt
    ? `${formatCountOf(deliveries.skipped, 'delivery', 'deliveries')} skipped`
    : 'skipped';
  return `${digestName(key)}: ${skipped}${notStopped(deliveries)}`;
}

function notStopped({ sending, sent }: SkippedDeliveries): string {
  const parts = [
    sent > 0 ? `${formatCountOf(sent, 'delivery', 'deliveries')} went out before` : '',
    sending > 0 ? `${formatCountOf(sending, 'delivery', 'deliveries')} being sent now can't be stopped` : '',
  ];
  return parts.map((part) => part && `; ${part}`).join('');
}

/**
 * Silences a restored backup or a staging copy: no later run sends what is open now, or anything about a period that is
 * over, loaded or not. Mails unknown to this outbox may have gone out since the backup.
 */
export async function skipAll(app: AppContext): Promise<string> {
  const { config, warehouse } = app;
  const runDate = today(app.clock(), config.planning.timeZone);
  const corrections = await incompletePeriods(warehouse, config.digests);
  const inputs = await readDue(app, runDate, []);
  const digests = inputs.reduce((sum, { unmailed }) => sum + unmailed.length, 0);
  const ends = await candidateEnds(app);
  const all = [...corrections, ...ends];
  const distinct = new Map(all.map((key) => [JSON.stringify([key.name, key.every, key.day]), key]));
  const skipped = [...distinct.values()].map(skipWhole);
  const deliveries = await skipByHand(warehouse, skipped, null);
  return [
    formatCountOf(digests, 'digest'),
    formatCountOf(corrections.length, 'correction'),
    `${formatCountOf(deliveries.skipped, 'delivery', 'deliveries')} skipped${notStopped(deliveries)}`,
  ].join(', ');
}
