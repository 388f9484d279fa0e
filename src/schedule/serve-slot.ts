import { requireSchema } from '../job/database.ts';
import { type NightlyRequest, nightly } from '../job/nightly.ts';
import type { Parts } from '../job/parts.ts';
import type { RunReport } from '../job/run.ts';
import { Failure } from '../model/failure.ts';
import type { OnNightProgress } from '../model/progress.ts';
import { readSlot } from '../warehouse/slots.ts';
import { judgeSlot } from './judge-slot.ts';

/** A slot that is served later than this was missed. */
const missedAfterMs = 60_000;

/**
 * Runs for a slot that has come, unless that was done. Gives false where the slot is to be looked at again: whoever
 * works now may be killed, and then another takes it up.
 *
 * @param tell       is told how the run ended
 * @param onProgress is told how far it has come
 */
export async function serveSlot(
  parts: Parts,
  slot: Temporal.Instant,
  signal: AbortSignal,
  tell: (report: RunReport) => void,
  onProgress?: OnNightProgress,
): Promise<boolean> {
  await requireSchema(parts.warehouse);
  const judgement = judgeSlot(slot, await readSlot(parts.warehouse, slot));
  if (judgement === 'settled') return true;
  if (judgement === 'standing by') {
    parts.log.debug({ slot: slot.toString() }, 'another run is at work: standing by');
    return false;
  }
  sayWhy(parts, slot, judgement);
  const everything = { days: null, accounts: null, digest: true };
  const request: NightlyRequest = { command: 'schedule', ...everything, slot: slot.toString() };
  try {
    tell(await nightly(parts, request, signal, onProgress));
    return true;
  } catch (error) {
    // Another one was quicker.
    if (error instanceof Failure && error.kind === 'another run') return false;
    throw error;
  }
}

function sayWhy({ log, clock, config }: Parts, slot: Temporal.Instant, judgement: 'due' | 'left'): void {
  const time = slot.toZonedDateTimeISO(config.planning.timeZone).toString({ smallestUnit: 'minute' });
  if (judgement === 'left') log.warn(`the run of ${time} was cut off: taking it up again`);
  else if (clock().epochMilliseconds - slot.epochMilliseconds > missedAfterMs)
    log.warn(`the run of ${time} was missed: making up for it now`);
}
