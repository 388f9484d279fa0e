import { type Failure, isOfOne } from '../../model/failure.ts';
import type { OnProgress } from '../../model/progress.ts';
import { windowKey } from '../../planning/windows-due.ts';
import type { Run } from '../run/run.ts';
import { type ReportedError, told } from '../run/run-stats.ts';
import type { WindowExecutor } from './executor.ts';
import type { WindowTask } from './sync-window.ts';
import { syncAndReport } from './sync-windows.ts';

/** The service is not there: to ask for each day of a year would only tell that a year long. */
export class GivenUp extends Error {
  readonly inARow: number;
  readonly last: ReportedError;
  /** Of the accounts whose tokens are refused: the first of each. */
  readonly refusals: readonly ReportedError[];

  constructor(inARow: number, last: ReportedError, refusals: readonly ReportedError[]) {
    super(last.line);
    this.inARow = inARow;
    this.last = last;
    this.refusals = refusals;
  }
}

export type BackfillSync = {
  one(run: Run, pull: WindowTask): Promise<void>;
  /** How many windows failed so far. */
  failed(): number;
  /** Aborted with a GivenUp. */
  readonly givenUp: AbortSignal;
};

/** Pulls windows of a backfill: leaves out what is loaded by now, counts, and knows when to give up. */
export function createBackfillSync(
  run: Run,
  executor: WindowExecutor,
  total: number,
  onProgress: OnProgress,
): BackfillSync {
  const syncOne = syncAndReport(executor);
  const givingUp = new AbortController();
  const ended = new Map<string, 'loaded' | 'failed'>();
  const refusals = new Map<string, ReportedError>();
  const maxInARow = executor.hopeless(run);
  let failed = 0;
  let inARow = 0;

  function end({ account, day }: WindowTask, how: 'loaded' | 'failed'): void {
    const key = windowKey({ account: account.name, day });
    // A day that failed at first may be loaded by the second try.
    if (ended.get(key) === 'failed') failed--;
    if (how === 'failed') failed++;
    ended.set(key, how);
    onProgress({ total, done: ended.size, failed });
  }

  /** Told once; the other days of that account say the same. */
  function isToldAlready(account: string): boolean {
    const already = refusals.has(account);
    if (already) run.stats.windows.failed++;
    return already;
  }

  function recordFailure({ account, day }: WindowTask, failure: Failure): void {
    const line = told(failure, account.name, day);
    if (failure.kind === 'token refused') refusals.set(account.name, line);
    else if (++inARow >= maxInARow) givingUp.abort(new GivenUp(inARow, line, [...refusals.values()]));
  }

  async function one(within: Run, pull: WindowTask): Promise<void> {
    const { account } = pull;
    if (isToldAlready(account.name)) return end(pull, 'failed');
    try {
      await syncOne(within, { ...pull, missingOnly: true });
      inARow = 0;
      end(pull, 'loaded');
    } catch (error) {
      if (!isOfOne(error)) throw error;
      end(pull, 'failed');
      // Several of its days were in flight at once.
      if (error.kind === 'token refused' && isToldAlready(account.name)) return;
      recordFailure(pull, error);
      throw error;
    }
  }

  return { one, failed: () => failed, givenUp: givingUp.signal };
}
