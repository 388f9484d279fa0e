import type { Day } from '../model/day.ts';
import type { DayChange, StandingDay } from '../model/day-change.ts';
import type { Failure } from '../model/failure.ts';
import { mostlyUnreadable, type Reading } from '../model/records.ts';
import { isOver, yesterday } from '../planning/business-day.ts';
import { contentHash } from '../planning/content-hash.ts';
import { judgeAnswer } from '../planning/judge-answer.ts';
import { notUnderstood } from '../service/failures.ts';
import { msSince } from '../support/clock.ts';
import { databaseClock } from '../warehouse/runs.ts';
import { keepUnreadable, loadWindow } from '../warehouse/windows.ts';
import type { Run } from './run.ts';
import type { KnownAccount } from './select-accounts.ts';

export type Pull = {
  readonly account: KnownAccount;
  readonly day: Day;
  /** Whether somebody accepted the answer that is held. */
  readonly accepted: boolean;
};

/** One window: asked for, judged by what stands, loaded and entered in one transaction. */
export async function pullWindow(run: Run, pull: Pull): Promise<void> {
  const { account, day } = pull;
  const began = performance.now();
  const fetchedAt = await databaseClock(run.warehouse);
  const provisional = !isOver(day, account.timeZone, run.clock());
  const summary = await run.service.summarizeCampaigns(account, { from: day, to: day });
  const { records, rejects } = summary;
  const source = { accountId: account.id, day, fetchedAt, runId: run.id, rejects, answer: summary.answer };
  if (mostlyUnreadable(summary)) {
    await keepUnreadable(run.warehouse, source);
    run.tally.rejects += rejects.length;
    throw mostlyUnreadableFailure(pull, summary);
  }
  const judged = { records, rejects, contentHash: contentHash(records), night: run.night };
  const { before, outcome } = await loadWindow(
    run.warehouse,
    { ...judged, ...source, provisional },
    (standing) => judgeAnswer(standing, { ...judged, accepted: pull.accepted }),
  );
  const inQuarantine = rejects.length > 0 ? `, ${rejects.length} in quarantine` : '';
  const say = (what: string) => `${day} ${account.name}: ${what}${provisional ? ', provisional' : ''}`;
  const counts = { campaigns: records.length, rejects: rejects.length };
  const about = { account: account.name, day, ...counts, ms: msSince(began) };
  if (outcome.decision === 'stale') {
    run.tally.windows.stale++;
    run.log.info(about, say('a newer answer was decided on already'));
    return;
  }
  run.tally.rejects += rejects.length;
  if (outcome.decision === 'hold') {
    run.tally.windows.held++;
    run.log.warn(
      about,
      say(`the answer is held back, for ${outcome.because}; npm start -- accept --day ${day}`),
    );
    return;
  }
  count(run, outcome.change);
  const healed = isHealed(run, pull, before);
  if (healed) run.tally.windows.healed++;
  run.log.info(
    about,
    say(`${healed ? 'healed, ' : ''}${records.length} campaigns${describe(outcome.change)}${inQuarantine}`),
  );
}

function count({ tally }: Run, change: DayChange): void {
  tally.windows.loaded++;
  tally.rows.appeared += change.appeared.length;
  tally.rows.updated += change.updated.length;
  tally.rows.withdrawn += change.withdrawn.length;
  tally.rows.restated += change.restatements.length;
  tally.rows.unchanged += change.unchanged;
}

/** Not yesterday, which nobody could have loaded before; nor history, which nobody expected before this run. */
function isHealed(run: Run, { account, day }: Pull, before: StandingDay): boolean {
  const wasExpected = account.since !== null && day >= account.since;
  return before.state === 'failed' && wasExpected && day < yesterday(run.clock(), account.timeZone);
}

function describe(change: DayChange): string {
  const parts = [
    [change.appeared.length, 'new'],
    [change.updated.length, 'changed'],
    [change.withdrawn.length, 'withdrawn'],
    [change.restatements.length, 'restated'],
  ] as const;
  return parts
    .filter(([number]) => number > 0)
    .map(([number, what]) => `, ${number} ${what}`)
    .join('');
}

/** Over half can't be read: what stood stays, and the trace of what came is kept. */
function mostlyUnreadableFailure({ account, day }: Pull, { records, rejects }: Reading<unknown>): Failure {
  const fault = `${rejects.length} of ${records.length + rejects.length} records can't be read`;
  return notUnderstood({ account: account.name, about: `campaigns of ${day}` }, fault);
}
