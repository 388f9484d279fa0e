import { setTimeout as delay } from 'node:timers/promises';

/** Waits so many milliseconds; throws the signal's own reason as soon as it is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await delay(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
}
