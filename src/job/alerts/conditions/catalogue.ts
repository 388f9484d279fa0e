import type { Condition } from './condition.ts';
import { figureConditions } from './figures.ts';
import { mailConditions } from './mail.ts';
import { runConditions } from './runs.ts';
import { serviceConditions } from './service.ts';

/**
 * Every condition, the gravest first. To add one, write it in the file of its subject; its situation in test/job/alerts/situations.ts and
 * its section in docs/operations.md are then demanded by the tests (CONTRIBUTING.md).
 */
export const conditions = {
  ...runConditions,
  ...serviceConditions,
  ...figureConditions,
  ...mailConditions,
} satisfies { readonly [code: string]: Condition };

export type AlertCode = keyof typeof conditions;

/** Codes of alerts, the gravest first. */
export const alertCodes = Object.keys(conditions) as AlertCode[];
