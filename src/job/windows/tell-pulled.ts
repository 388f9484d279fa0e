import type { Failure } from '../../model/failure.ts';
import { notUnderstood } from '../../service/failures.ts';
import type { Run } from '../run/run.ts';
import type { Pull, Pulled } from './pull-window.ts';

/** Counts what became of a window, and logs it. Throws a Failure for an answer that can't be read. */
export function tellPulled(run: Run, pull: Pull, pulled: Pulled): void {
  const { account, day } = pull;
  const { became, provisional, campaigns, rejects, ms } = pulled;
  const say = (what: string) => `${day} ${account.name}: ${what}${provisional ? ', provisional' : ''}`;
  const about = { account: account.name, day, campaigns, rejects, ms };
  if (became === 'left alone') return;
  if (became === 'stale') {
    run.tally.windows.stale++;
    run.log.info(about, say('a newer answer was decided on already'));
    return;
  }
  run.tally.rejects += rejects;
  if (became === 'unreadable') throw mostlyUnreadableFailure(pull, pulled);
  if (became === 'held') {
    run.tally.windows.held++;
    run.log.warn(
      about,
      say(`the answer is held back, for ${pulled.because}; npm start -- accept --day ${day}`),
    );
    return;
  }
  count(run, pulled);
  run.log.info(about, say(describe(pulled)));
}

function count({ tally }: Run, { rows, healed }: Pulled): void {
  tally.windows.loaded++;
  if (healed) tally.windows.healed++;
  tally.rows.appeared += rows.appeared;
  tally.rows.updated += rows.updated;
  tally.rows.withdrawn += rows.withdrawn;
  tally.rows.restated += rows.restated;
  tally.rows.unchanged += rows.unchanged;
}

function describe({ healed, campaigns, rejects, rows }: Pulled): string {
  const parts = [
    [rows.appeared, 'new'],
    [rows.updated, 'changed'],
    [rows.withdrawn, 'withdrawn'],
    [rows.restated, 'restated'],
    [rejects, 'in quarantine'],
  ] as const;
  const told = parts.filter(([number]) => number > 0).map(([number, what]) => `, ${number} ${what}`);
  return `${healed ? 'healed, ' : ''}${campaigns} campaigns${told.join('')}`;
}

/** Over half can't be read: what stood stays, and the trace of what came is kept. */
function mostlyUnreadableFailure({ account, day }: Pull, { campaigns, rejects }: Pulled): Failure {
  const fault = `${rejects} of ${campaigns + rejects} records can't be read`;
  return notUnderstood({ account: account.name, about: `campaigns of ${day}` }, fault);
}
