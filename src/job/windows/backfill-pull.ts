import { type Failure, isOfOne } from '../../model/failure.ts';
import type { OnProgress } from '../../model/progress.ts';
import { windowKey } from '../../planning/windows-due.ts';
import type { Run } from '../run/run.ts';
import { type ToldFailure, told } from '../run/tally.ts';
import type { Pull } from './pull-window.ts';
import { pullAndTell } from './pull-windows.ts';
import type { Pulling } from './pulling.ts';

/** The service is not there: to ask for each day of a year would only tell that a year long. */
export class GivenUp extends Error {
  readonly inARow: number;
  readonly last: ToldFailure;
  /** Of the accounts whose tokens are refused: the first of each. */
  readonly refusals: readonly ToldFailure[];

  constructor(inARow: number, last: ToldFailure, refusals: readonly ToldFailure[]) {
    super(last.line);
    this.inARow = inARow;
    this.last = last;
    this.refusals = refusals;
  }
}

export type BackfillPull = {
  one(run: Run, pull: Pull): Promise<void>;
  /** How many windows failed so far. */
  failed(): number;
  /** Aborted with a GivenUp. */
  readonly givenUp: AbortSignal;
};

/** Pulls windows of a backfill: leaves out what is loaded by now, counts, and knows when to give up. */
export function createBackfillPull(
  run: Run,
  pulling: Pulling,
  total: number,
  onProgress: OnProgress,
): BackfillPull {
  const pullOne = pullAndTell(pulling);
  const givingUp = new AbortController();
  const ended = new Map<string, 'loaded' | 'failed'>();
  const refusals = new Map<string, ToldFailure>();
  const mostInARow = pulling.hopeless(run);
  let failed = 0;
  let inARow = 0;

  function end({ account, day }: Pull, how: 'loaded' | 'failed'): void {
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
    if (already) run.tally.windows.failed++;
    return already;
  }

  function noteFailure({ account, day }: Pull, failure: Failure): void {
    const line = told(failure, account.name, day);
    if (failure.kind === 'token refused') refusals.set(account.name, line);
    else if (++inARow >= mostInARow) givingUp.abort(new GivenUp(inARow, line, [...refusals.values()]));
  }

  async function one(within: Run, pull: Pull): Promise<void> {
    const { account } = pull;
    if (isToldAlready(account.name)) return end(pull, 'failed');
    try {
      await pullOne(within, { ...pull, missingOnly: true });
      inARow = 0;
      end(pull, 'loaded');
    } catch (error) {
      if (!isOfOne(error)) throw error;
      end(pull, 'failed');
      // Several of its days were in flight at once.
      if (error.kind === 'token refused' && isToldAlready(account.name)) return;
      noteFailure(pull, error);
      throw error;
    }
  }

  return { one, failed: () => failed, givenUp: givingUp.signal };
}
