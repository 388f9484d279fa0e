import { Failure } from '../model/failure.ts';
import type { OnProgress } from '../model/progress.ts';
import { addDays } from '../planning/business-day.ts';
import { windowKey } from '../planning/windows-due.ts';
import { waiveDigest } from '../warehouse/digests.ts';
import { isLoaded } from '../warehouse/ledger.ts';
import { type Pull, pullWindow } from './pull-window.ts';
import type { Run } from './run.ts';
import { type ToldFailure, told } from './tally.ts';

/** The service is not there: to ask for each day of a year would only tell that a year long. */
export class GivenUp extends Error {
  readonly failed: number;
  readonly told: ToldFailure;

  constructor(failed: number, last: ToldFailure) {
    super(last.line);
    this.failed = failed;
    this.told = last;
  }
}

export type BackfillPull = {
  one(run: Run, pull: Pull): Promise<void>;
  /** Aborted with a GivenUp. */
  readonly givenUp: AbortSignal;
};

/** Pulls windows of a backfill: leaves out what is loaded by now, waives digests, counts, and knows when to give up. */
export function createBackfillPull(run: Run, total: number, onProgress: OnProgress): BackfillPull {
  const givingUp = new AbortController();
  const ended = new Map<string, 'loaded' | 'failed'>();
  const refused = new Set<string>();
  const mostInARow = run.config.service.concurrency * 2;
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

  function noteFailure(pull: Pull, failure: Failure): void {
    end(pull, 'failed');
    if (failure.kind === 'token refused') refused.add(pull.account.name);
    if (failure.kind !== 'service unavailable') return;
    if (++inARow >= mostInARow)
      givingUp.abort(new GivenUp(inARow, told(failure, pull.account.name, pull.day)));
  }

  async function one(within: Run, pull: Pull): Promise<void> {
    // Told once; the other days of that account would say the same.
    if (refused.has(pull.account.name)) {
      within.tally.windows.failed++;
      return end(pull, 'failed');
    }
    try {
      if (!(await isLoaded(within.warehouse, pull.account.id, pull.day))) {
        await pullWindow(within, pull);
        await waive(within, pull);
      }
      inARow = 0;
      end(pull, 'loaded');
    } catch (error) {
      if (error instanceof Failure) noteFailure(pull, error);
      throw error;
    }
  }

  return { one, givenUp: givingUp.signal };
}

/** Nobody is mailed about history. Days that a night no longer heals are owed nothing anyway. */
async function waive(run: Run, { account, day }: Pull): Promise<void> {
  if (day < addDays(run.night, -run.config.planning.catchUpDays - 1)) return;
  for (const { name, accounts } of run.config.digests) {
    if (!accounts.includes(account.name)) continue;
    if (await waiveDigest(run.warehouse, { name, day, kind: 'first' }, run.id)) run.tally.digests.waived++;
  }
}
