/** Where `now` comes from; handed in, so that time can be chosen. */
export type Clock = () => Temporal.Instant;

export const systemClock: Clock = () => Temporal.Now.instant();
