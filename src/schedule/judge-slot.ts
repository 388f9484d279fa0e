import type { SlotEntry } from '../warehouse/slots.ts';

/**
 * Whether a slot that has come wants a run.
 * `settled`: not any more, or never; `standing by`: somebody is at work, perhaps on it; `left`: its run was cut off.
 */
export type SlotJudgement = 'settled' | 'standing by' | 'due' | 'left';

/** Pure: what to do about a slot, by what the warehouse knows of it. */
export function judgeSlot(slot: Temporal.Instant, entry: SlotEntry): SlotJudgement {
  // Before that there was nobody to miss it: a new install waits for its first slot.
  const installedAt = Temporal.Instant.from(entry.installedAt);
  if (Temporal.Instant.compare(slot, installedAt) < 0) return 'settled';
  const cutOff = entry.outcome === null || entry.outcome === 'interrupted';
  if (entry.outcome !== 'none' && !cutOff) return 'settled';
  if (entry.lockHeld) return 'standing by';
  return cutOff ? 'left' : 'due';
}
