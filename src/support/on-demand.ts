import { createRequire } from 'node:module';

/** Loads a package where it is first needed, for those that only some starts need; synchronous, as `require` is. */
export const onDemand = createRequire(import.meta.url);
