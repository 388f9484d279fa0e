/** Where `now` comes from; handed in, so that time can be chosen. */
export type Clock = () => Temporal.Instant;

export const systemClock: Clock = () => Temporal.Now.instant();

/** Whole milliseconds since `performance.now()` was `began`. */
export const msSince = (began: number): number => Math.round(performance.now() - began);
