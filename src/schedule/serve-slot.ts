import { alertOfDeath } from '../job/alert.ts';
import { requireSchema } from '../job/database.ts';
import { endingOf } from '../job/ending.ts';
import { type NightlyRequest, nightly } from '../job/nightly.ts';
import type { Parts } from '../job/parts.ts';
import type { RunReport } from '../job/run.ts';
import { Failure } from '../model/failure.ts';
import type { OnNightProgress } from '../model/progress.ts';
import { readSlot } from '../warehouse/slots.ts';
import { judgeSlot, type SlotJudgement } from './judge-slot.ts';

/** A slot that is served later than this was missed. */
const missedAfterMs = 60_000;

/** So long a database may be away before anybody is told: at a start it may be about to start, too. */
const patienceMs = 60_000;

/**
 * Runs for a slot that has come, unless that was done. Gives false where the slot is to be looked at again: whoever
 * works now may be killed, and then another takes it up.
 */
export type ServeSlot = (slot: Temporal.Instant, onProgress?: OnNightProgress) => Promise<boolean>;

/** @param tell is told how each run ended */
export function createServeSlot(
  parts: Parts,
  signal: AbortSignal,
  tell: (report: RunReport) => void,
): ServeSlot {
  const lookAt = createLookAt(parts, signal);
  return async (slot, onProgress) => {
    const judgement = await lookAt(slot);
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
  };
}

/** A database that stays away is told to whoever would hear of the night, once: the night itself doesn't come to it. */
function createLookAt(parts: Parts, signal: AbortSignal): (slot: Temporal.Instant) => Promise<SlotJudgement> {
  let awaySince: number | null = null;
  let told = false;
  return async (slot) => {
    try {
      await requireSchema(parts.warehouse);
      const judgement = judgeSlot(slot, await readSlot(parts.warehouse, slot));
      awaySince = null;
      told = false;
      return judgement;
    } catch (error) {
      const now = parts.clock().epochMilliseconds;
      awaySince ??= now;
      if (!told && now - awaySince >= patienceMs) {
        told = true;
        await alertOfDeath(parts, error, signal);
        await parts.ping(endingOf(error).exitCode);
      }
      throw error;
    }
  };
}

function sayWhy({ log, clock, config }: Parts, slot: Temporal.Instant, judgement: 'due' | 'left'): void {
  const time = slot.toZonedDateTimeISO(config.planning.timeZone).toString({ smallestUnit: 'minute' });
  if (judgement === 'left') log.warn(`the run of ${time} was cut off: taking it up again`);
  else if (clock().epochMilliseconds - slot.epochMilliseconds > missedAfterMs)
    log.warn(`the run of ${time} was missed: making up for it now`);
}
