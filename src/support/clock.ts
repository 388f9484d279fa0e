import { setTimeout as delay } from 'node:timers/promises';

/** Where `now` comes from; handed in, so that time can be chosen. */
export type Clock = () => Temporal.Instant;

export const systemClock: Clock = () => Temporal.Now.instant();

/** Whole milliseconds since `performance.now()` was `began`. */
export const msSince = (began: number): number => Math.round(performance.now() - began);

/** Lets so many milliseconds pass, or fewer where the signal is aborted; handed in beside the clock. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const systemSleep: Sleep = async (ms, signal) => {
  await delay(ms, undefined, { signal }).catch(() => {});
};
