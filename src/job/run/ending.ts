import { type ExitCode, exitCode, Interrupted } from '../../model/exit-code.ts';
import { Failure } from '../../model/failure.ts';
import type { RunOutcome } from '../../model/run.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';

export type Ending = {
  readonly outcome: RunOutcome;
  readonly exitCode: ExitCode | Interrupted['exitCode'];
  readonly line: string;
};

/** How a run ends that threw this error. */
export function endingOf(error: unknown): Ending {
  if (error instanceof Interrupted)
    return { outcome: 'interrupted', exitCode: error.exitCode, line: error.message };
  const failure = error instanceof Failure ? error : warehouseFailure(error);
  if (failure !== null) return { outcome: 'failed', exitCode: failure.exitCode, line: failure.line };
  return { outcome: 'failed', exitCode: exitCode.internal, line: String(error) };
}
