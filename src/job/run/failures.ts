import type { Day } from '../../model/day.ts';
import { endsRun, Failure, lineOf } from '../../model/errors.ts';
import { formatCountOf, formatDays, formatList } from '../../support/english.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';
import type { Run } from './run.ts';
import type { ReportedError } from './run-stats.ts';

/** Longer messages don't fit a line, and longer stacks repeat themselves. */
const maxMessageLength = 300;
const maxStackLength = 10_000;

/**
 * The failure of one window, client list, digest or delivery: the others go on. An unexpected error becomes
 * `INTERNAL`. Throws what ends the whole run: an interruption, or an error of the database's connection.
 *
 * @param subject the item, for an unexpected error: `account main, campaigns of 2026-03-02`
 */
export function toItemFailure(error: unknown, { signal, redact }: Run, subject: string): Failure {
  const isInterruption = signal.aborted && error === signal.reason;
  if (endsRun(error) || isInterruption) throw error;
  if (error instanceof Failure) return error;
  if (warehouseFailure(error) !== null) throw error;
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const reason = asText(redact(message === '' ? name : message, maxMessageLength)).slice(0, maxMessageLength);
  const failure = new Failure('INTERNAL', `internal error of Callsheet (${reason})`, { subject });
  // Only the log shows the stack.
  failure.stack = asText(redact(stack ?? message, maxStackLength));
  return failure;
}

/** Postgres stores neither half a character nor NUL. */
const asText = (text: string) => text.toWellFormed().replaceAll('\0', '\\0');

/** The log fields of an error: its code, where it happened and, for an internal one, its stack. */
export function logFields({ code, stack }: Failure, where: object): object {
  return { ...where, code, ...(code === 'INTERNAL' && { stack }) };
}

/** Returns whether somebody was asked on an earlier run date what an answer without records means. */
const isAskedAbout = ({ sign }: Failure, { isAlerted }: Run['signs']): boolean =>
  sign !== null && isAlerted({ kind: 'empty', operation: 'campaignSummary', sign });

/** Counts the failure of one item in the run's stats, and logs it. */
function reportFailure(
  { stats, log, signs }: Run,
  failure: Failure,
  where: Omit<ReportedError, 'code' | 'detail' | 'isAsked'>,
): void {
  const { account, day, digest } = where;
  const { code, detail } = failure;
  stats.failures.push({ code, detail, isAsked: isAskedAbout(failure, signs), ...where });
  const item = digest === undefined ? { account } : { digest };
  log.error(logFields(failure, { ...item, ...(day !== null && { day }) }), lineOf(failure));
}

/** Counts the failures of windows or client lists with the same cause, and logs them as one line. */
export function reportFailures(
  run: Run,
  failure: Failure,
  step: 'windows' | 'clients',
  places: readonly Pick<ReportedError, 'account' | 'day'>[],
): void {
  const [place] = places;
  if (place === undefined) return;
  if (places.length === 1) {
    reportFailure(run, failure, { step, ...place });
    return;
  }
  const { code, detail, advice } = failure;
  const isAsked = isAskedAbout(failure, run.signs);
  for (const each of places) run.stats.failures.push({ code, detail, isAsked, step, ...each });
  const accounts = [...new Set(places.map(({ account }) => account))];
  const days = [...new Set(places.flatMap(({ day }) => day ?? []))].sort();
  const named = accounts.length > maxNames ? formatCountOf(accounts.length, 'account') : formatList(accounts);
  const what = step === 'clients' ? 'clients' : `campaigns of ${formatDays(days)}`;
  run.log.error(
    logFields(failure, { accounts: accounts.length, [step]: places.length }),
    `${named}, ${what}: ${detail}: ${advice}`,
  );
}

/** A line names so many accounts; more are counted. */
const maxNames = 5;

/** Reports a failed digest: its build or, with a `delivery`, its delivery. */
export function reportDigestFailure(
  run: Run,
  { digest, day, delivery }: { readonly digest: string; readonly day: Day; readonly delivery?: number },
  failure: Failure,
): void {
  const step = delivery === undefined ? 'digests' : 'mail';
  reportFailure(run, failure, { step, account: `digest ${digest}`, day, digest, delivery });
}
