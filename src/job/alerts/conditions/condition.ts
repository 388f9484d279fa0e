import type { ActiveAlert, AlertKind, AlertStep } from '../../../model/alert.ts';
import { addDays, type Day } from '../../../model/day.ts';
import type { Items } from '../items.ts';
import type { WarehouseState } from '../state.ts';

/** A rule of when to alert. */
export type Condition = {
  /** `error`: figures, a list or mail are missing; `warning`: they may be wrong. */
  readonly severity: ActiveAlert['severity'];
  /** Who ends it. */
  readonly kind: AlertKind | ((alert: Alert) => AlertKind);
  /** Finds the items that it holds for; a dismissal is applied later. */
  readonly find: (state: WarehouseState) => Items;
  readonly describe: (alert: Alert) => Text;
};

/** An active alert: all that a condition holds for, with one key. */
export type Alert = {
  readonly code: string;
  readonly key: string;
  readonly items: Items;
  readonly today: Day;
  readonly state: WarehouseState;
};

/** The words of an alert. */
export type Text = {
  /** The event in a few words: title and subject name whom it hit. A subject leaves out what follows a colon or a bracket. */
  readonly what: string;
  /** The items that title and subject name; all by default. */
  readonly about?: Items;
  /** Further names in the title. */
  readonly more?: readonly string[];
  /** The event, its effect on the figures, and what happens automatically; sentences. */
  readonly explanation: string;
  /** The next run tries again, and a sentence that says when follows. */
  readonly retried?: boolean;
  /** The steps, in order. */
  readonly steps: readonly AlertStep[];
};

export const kindOf = ({ kind }: Condition, alert: Alert): AlertKind =>
  typeof kind === 'string' ? kind : kind(alert);

/** Returns whether an alert lasts for three run dates: then it doesn't end by itself. */
export function lasts({ key, state, today }: Alert): boolean {
  const since = state.recorded.get(key)?.since ?? today;
  return since <= addDays(today, -2);
}

/** The next run may end it. */
export const untilItLasts = (alert: Alert): AlertKind => (lasts(alert) ? 'to do' : 'to check');
