import { errorCatalogue, Failure } from '../../model/errors.ts';
import { type ExitCode, exitCode, gravest, Interrupted } from '../../model/exit-code.ts';
import type { RunOutcome } from '../../model/run.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';
import type { RunStats } from './run-stats.ts';

/**
 * The outcome and exit code of a run that no error ended, by its counts.
 *
 * @param syncedEarlier a retry: an earlier run of its run date synced other windows
 */
export function endingOfStats(
  { failures, windows, deliveries, alerts }: RunStats,
  syncedEarlier: boolean,
): {
  readonly outcome: RunOutcome;
  readonly exitCode: ExitCode;
} {
  const undelivered = deliveries.failed + deliveries.given_up + deliveries.unknown + alerts.failed;
  // An unavailable service is a partial outcome, unless it left nothing.
  const codes: ExitCode[] = failures
    .map(({ code }) => errorCatalogue[code].exitCode)
    .filter((code) => code !== exitCode.unavailable);
  const hasSynced = syncedEarlier || windows.loaded + windows.stale > 0;
  if (windows.failed > 0 && !hasSynced) codes.push(exitCode.unavailable);
  if (failures.length > 0 || undelivered > 0) codes.push(exitCode.runAgain);
  if (codes.length === 0) return { outcome: 'done', exitCode: exitCode.done };
  return { outcome: syncedEarlier || windows.loaded > 0 ? 'partial' : 'failed', exitCode: gravest(codes) };
}

/** The outcome and exit code of a run that this error ended, and its failure; null for an interruption. */
export function endingOf(error: unknown): {
  readonly outcome: RunOutcome;
  readonly exitCode: ExitCode | Interrupted['exitCode'];
  readonly failure: Failure | null;
} {
  if (error instanceof Interrupted)
    return { outcome: 'interrupted', exitCode: error.exitCode, failure: null };
  const known = error instanceof Failure ? error : warehouseFailure(error);
  const failure = known ?? new Failure('INTERNAL', String(error));
  return { outcome: 'failed', exitCode: failure.exitCode, failure };
}
