import { setTimeout as delay } from 'node:timers/promises';

/** Returns `now`. It is handed in, so that tests choose the time. */
export type Clock = () => Temporal.Instant;

export const systemClock: Clock = () => Temporal.Now.instant();

/** Returns whether Node knows a time zone. */
export function isZone(name: string): boolean {
  try {
    Temporal.Now.zonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns the whole milliseconds since `performance.now()` was `began`. */
export const msSince = (began: number): number => Math.round(performance.now() - began);

/** Waits; throws the signal's own reason as soon as it is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await delay(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Resolves once the signal is aborted, and keeps the process up until then. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  // A promise alone doesn't keep a process up; a timer does.
  const keepUp = setInterval(() => {}, 2 ** 30);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(clearInterval(keepUp)), { once: true });
  });
}

/**
 * Waits for `work`; once the signal is aborted, for at most `graceMs` more. Then it leaves unfinished work behind
 * and throws the signal's reason.
 */
export async function withGracePeriod<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const overdue = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const startGrace = () => {
    timer = setTimeout(() => overdue.reject(signal.reason), graceMs);
  };
  if (signal.aborted) startGrace();
  else signal.addEventListener('abort', startGrace, { once: true });
  try {
    return await Promise.race([work, overdue.promise]);
  } finally {
    signal.removeEventListener('abort', startGrace);
    clearTimeout(timer);
  }
}

/** Returns a signal that is aborted some time after `signal`, for the same reason. */
export function delayedAbort(signal: AbortSignal, milliseconds: number): AbortSignal {
  const later = new AbortController();
  const abortLater = () => {
    setTimeout(() => later.abort(signal.reason), milliseconds).unref();
  };
  signal.addEventListener('abort', abortLater, { once: true });
  return later.signal;
}
