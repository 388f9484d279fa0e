/** Variables by name, as the process got them. Empty ones count as not set: compose files leave them so. */
export type Environment = { readonly [name: string]: string | undefined };

/** The only place that reads `process.env`. */
export function readEnvironment(): Environment {
  return Object.freeze({ ...process.env });
}
