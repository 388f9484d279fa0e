import type { Failure } from '../../model/failure.ts';
import { invalidResponse } from '../../service/failures.ts';
import type { Run } from '../run/run.ts';
import type { WindowResult, WindowTask } from './sync-window.ts';

/** Counts what became of a window, and logs it. Throws a Failure for an answer that can't be read. */
export function reportResult(run: Run, pull: WindowTask, result: WindowResult): void {
  const { account, day } = pull;
  const { became, provisional, campaigns, rejects, ms } = result;
  const say = (what: string) => `${day} ${account.name}: ${what}${provisional ? ', provisional' : ''}`;
  const about = { account: account.name, day, campaigns, rejects, ms };
  if (became === 'left alone') return;
  if (became === 'stale') {
    run.stats.windows.stale++;
    run.log.info(about, say('a newer answer was decided on already'));
    return;
  }
  run.stats.rejects += rejects;
  if (became === 'unreadable') throw mostlyUnreadableFailure(pull, result);
  if (became === 'held') {
    run.stats.windows.held++;
    run.log.warn(
      about,
      say(`the answer is held back, for ${result.because}; npm start -- accept --day ${day}`),
    );
    return;
  }
  count(run, result);
  run.log.info(about, say(describe(result)));
}

function count({ stats }: Run, { rows, healed }: WindowResult): void {
  stats.windows.loaded++;
  if (healed) stats.windows.healed++;
  stats.rows.appeared += rows.appeared;
  stats.rows.updated += rows.updated;
  stats.rows.withdrawn += rows.withdrawn;
  stats.rows.restated += rows.restated;
  stats.rows.unchanged += rows.unchanged;
}

function describe({ healed, campaigns, rejects, rows }: WindowResult): string {
  const app = [
    [rows.appeared, 'new'],
    [rows.updated, 'changed'],
    [rows.withdrawn, 'withdrawn'],
    [rows.restated, 'restated'],
    [rejects, 'in quarantine'],
  ] as const;
  const told = app.filter(([number]) => number > 0).map(([number, what]) => `, ${number} ${what}`);
  return `${healed ? 'healed, ' : ''}${campaigns} campaigns${told.join('')}`;
}

/** Over half can't be read: what stood stays, and the trace of what came is kept. */
function mostlyUnreadableFailure(
  { account, day }: WindowTask,
  { campaigns, rejects }: WindowResult,
): Failure {
  const fault = `${rejects} of ${campaigns + rejects} records can't be read`;
  return invalidResponse({ account: account.name, about: `campaigns of ${day}` }, fault);
}
