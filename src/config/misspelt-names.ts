import type { Environment } from './environment.ts';
import { nearMiss } from './near-miss.ts';
import { settingNames as known } from './schema.ts';

/**
 * Warnings of variables that have no effect, but are one or two letters off a setting.
 *
 * @param used variables that the settings name
 */
export function warnOfNames(environment: Environment, used: readonly (string | undefined)[]): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (!environment[name] || used.includes(name)) return [];
    if (known.includes(name)) return [];
    const meant = nearMiss(name, known);
    return meant === undefined ? [] : [`${name} is not a setting of Callsheet: did you mean ${meant}?`];
  });
}
