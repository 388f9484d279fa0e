import { type Failure, type FailureKind, isOfOne } from '../../model/failure.ts';
import type { NightProgress } from '../../model/progress.ts';
import type { Window } from '../../model/window.ts';
import { eachConcurrently } from '../../support/pool.ts';
import { noteFailure } from '../../warehouse/load/windows.ts';
import type { Run } from '../run/run.ts';
import type { KnownAccount } from '../run/select-accounts.ts';
import { told } from '../run/tally.ts';
import type { Pull } from './pull-window.ts';
import type { Pulling } from './pulling.ts';
import { tellPulled } from './tell-pulled.ts';

/** What the service said may be another thing in a minute. */
const mayPass: ReadonlySet<FailureKind> = new Set(['service unavailable', 'answer not understood']);

type Missed = { readonly pull: Pull; readonly failure: Failure };

/** Pulls the windows, each by `pull`; what failed in a way that may pass is tried once more at the end. */
export async function pullWindows(
  run: Run,
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
  pulling: Pulling,
  pull: (run: Run, pull: Pull) => Promise<void> = pullAndTell(pulling),
): Promise<void> {
  const byName = new Map(accounts.map((account) => [account.name, account]));
  const asked = { accepted: false, missingOnly: false };
  const pulls = windows.map(({ account, day }) => ({ account: byName.get(account)!, day, ...asked }));
  const atOnce = pulling.atOnce(run);
  let done = 0;
  const ended = () => run.report(progressOf(run, ++done, pulls.length));
  const missed = await pullAll(run, pulls, atOnce, pull, ended);
  const passing = missed.filter(({ failure }) => mayPass.has(failure.kind));
  const missedAgain = await pullAll(
    run,
    passing.map((miss) => miss.pull),
    atOnce,
    pull,
    ended,
  );
  for (const miss of [...missed.filter((miss) => !passing.includes(miss)), ...missedAgain]) {
    await noteMiss(run, miss);
    ended();
  }
}

/** One window, with what became of it told to the run. */
export function pullAndTell(pulling: Pulling) {
  return async (run: Run, pull: Pull): Promise<void> => {
    tellPulled(run, pull, await pulling.pull(run, pull));
  };
}

function progressOf({ tally }: Run, windows: number, windowsDue: number): Partial<NightProgress> {
  const { appeared, updated, unchanged } = tally.rows;
  const counts = { windows, windowsDue, windowsFailed: tally.windows.failed };
  return { ...counts, share: windows / windowsDue, rows: appeared + updated + unchanged };
}

async function pullAll(
  run: Run,
  pulls: readonly Pull[],
  atOnce: number,
  pullOne: (run: Run, pull: Pull) => Promise<void>,
  onEnded: () => void,
): Promise<Missed[]> {
  const missed: Missed[] = [];
  await eachConcurrently(pulls, atOnce, run.signal, async (pull) => {
    try {
      await pullOne(run, pull);
      onEnded();
    } catch (error) {
      if (!isOfOne(error)) throw error;
      missed.push({ pull, failure: error });
    }
  });
  return missed;
}

async function noteMiss(run: Run, { pull: { account, day }, failure }: Missed): Promise<void> {
  run.tally.windows.failed++;
  run.tally.failures.push(told(failure, account.name, day));
  await noteFailure(run.warehouse, { accountId: account.id, day }, failure.line);
  run.log.error({ account: account.name, day }, `${day} ${failure.line}`);
}
