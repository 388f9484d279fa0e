/** Variables by name, as the process got them. Empty ones count as not set: compose files leave them so. */
export type Environment = { readonly [name: string]: string | undefined };

/** The only file that reads or writes `process.env`. */
export function readEnvironment(): Environment {
  return Object.freeze({ ...process.env });
}

/** The launcher's setting: how a command of Callsheet is typed where the launcher is. The image says `callsheet`. */
export const launcherVariable = 'CALLSHEET_COMMAND';

/** The launcher's setting: the file that it reads settings from, instead of `.env`. */
export const settingsFile = (): string => process.env.CALLSHEET_SETTINGS ?? '.env';

/** Makes UTC the local time of this process, whatever zone the machine is in. */
export function useUtc(): void {
  process.env.TZ = 'UTC';
}
