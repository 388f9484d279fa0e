import type { Day } from '../../model/day.ts';
import { Failure, isOfOne } from '../../model/errors.ts';
import { Interrupted } from '../../model/exit-code.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';
import type { Run } from './run.ts';
import { reportedError } from './run-stats.ts';

/** As much of a message as fits a line. */
const maxMessageLength = 300;

/**
 * The error of one window, client list, digest or delivery, which doesn't keep the run from the others: a Failure of its
 * own code or, for anything unexpected, one with `INTERNAL`. Throws what ends the whole run: an interruption, or
 * an error of the database's connection.
 *
 * @param subject what it happened to, for the message: `account main, campaigns of 2026-03-02`
 */
export function errorOfOne(error: unknown, { signal, redact }: Run, subject: string): Failure {
  if (isOfOne(error)) return error;
  const isOfAll =
    error instanceof Failure || error instanceof Interrupted || warehouseFailure(error) !== null;
  if (isOfAll || (signal.aborted && error === signal.reason)) throw error;
  return internalFailure(error, redact, subject);
}

function internalFailure(error: unknown, redact: Run['redact'], subject: string): Failure {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const reason = asText(redact(message === '' ? name : message)).slice(0, maxMessageLength);
  const failure = new Failure(
    'INTERNAL',
    `${subject}: an internal error of Callsheet (${reason})`,
    'report it with the stack in the log; the others go on',
  );
  // Where it came from, for the log alone.
  failure.stack = asText(redact(stack ?? message));
  return failure;
}

/** Text that Postgres can hold. */
const asText = (text: string) => text.toWellFormed().replaceAll('\0', '\\0');

/** Fields of the log for an error: its code, where it happened and, of an internal one, its stack. */
export function fieldsOfError(error: Failure, where: object): object {
  const { code, stack } = error;
  return { ...where, code, ...(code === 'INTERNAL' && { stack }) };
}

/** Reports what keeps `warehouse.campaigns` from following an account: it is followed by the next run, then. */
export function campaignsErrorReporter(run: Run) {
  return (thrown: unknown, account: string): void => {
    const error = errorOfOne(thrown, run, `account ${account}, its list of campaigns`);
    run.stats.failures.push(reportedError(error, { step: 'windows', account, day: null }));
    run.log.error(fieldsOfError(error, { account }), error.line);
  };
}

/** A digest whose build or, of a `delivery`, whose delivery failed, as the run reports it. */
export function reportDigestError(
  { stats, log }: Run,
  { digest, day, delivery }: { readonly digest: string; readonly day: Day; readonly delivery?: number },
  error: Failure,
): void {
  const step = delivery === undefined ? 'digests' : 'mail';
  stats.failures.push(reportedError(error, { step, account: `digest ${digest}`, day, digest, delivery }));
  log.error(fieldsOfError(error, { digest, day }), error.line);
}
