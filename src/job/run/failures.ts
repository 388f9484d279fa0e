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

/** A line names so many accounts; more are counted. */
const maxNames = 5;

/** Counts the failures of windows, client lists, digests or deliveries with the same cause, and logs them as one line. */
export function reportFailures(
  { stats, log, signs }: Run,
  failure: Failure,
  places: readonly Omit<ReportedError, 'code' | 'detail' | 'isAsked'>[],
): void {
  const { code, detail, advice, sign } = failure;
  const isAsked = sign !== null && signs.isAlerted({ kind: 'empty', operation: 'campaignSummary', sign });
  for (const place of places) stats.failures.push({ code, detail, isAsked, ...place });
  const [first, ...others] = places;
  if (first === undefined) return;
  if (others.length === 0) {
    const { account, day, digest } = first;
    const item = digest === undefined ? { account } : { digest };
    log.error(logFields(failure, { ...item, ...(day !== null && { day }) }), lineOf(failure));
    return;
  }
  const accounts = [...new Set(places.map(({ account }) => account))];
  const days = [...new Set(places.flatMap(({ day }) => day ?? []))].sort();
  const named = accounts.length > maxNames ? formatCountOf(accounts.length, 'account') : formatList(accounts);
  const what = first.step === 'clients' ? 'clients' : `campaigns of ${formatDays(days)}`;
  log.error(
    logFields(failure, { accounts: accounts.length, [first.step]: places.length }),
    `${named}, ${what}: ${detail}: ${advice}`,
  );
}
