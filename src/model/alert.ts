import type { Day } from './day.ts';
import type { ExitCode } from './exit-code.ts';

/** The words of a command without the program's name. */
export type CommandWords = readonly string[];

/** One thing to do by hand, or a command and its purpose. */
export type AlertStep = { readonly text: string; readonly command: CommandWords | null };

/** Things of one kind that an alert is about: accounts, days, recipients or digests. */
export type Named = { readonly noun: string; readonly names: readonly string[] };

/**
 * What needs a run or a person; a note needs neither. Mail, webhook, page, `status`, metrics and log render
 * the same list.
 */
export type ActiveAlert = {
  /** The condition that holds: src/job/alerts/conditions.ts has them. */
  readonly code: string;
  /** The code and, for some, how the service responded. It stays while the alert lasts; `status --dismiss` takes it. */
  readonly key: string;
  /** `error`: figures or mail are missing; `warning`: they may be wrong; `note`: nothing to do. */
  readonly severity: 'error' | 'warning' | 'note';
  /** The event in the words of a subject: `token refused (Valley)`. */
  readonly subject: string;
  /** The event, and those it hit, in a line. */
  readonly title: string;
  /** The event with its date, its effect on the figures, and what happens automatically; a dismissed one says only that. */
  readonly explanation: string;
  /** Run date on which a run found it first; null if none has yet. */
  readonly since: Day | null;
  /** Names of the accounts that it is about. */
  readonly accounts: readonly string[];
  readonly named: readonly Named[];
  /** Days, recipients or records: a dismissed alert becomes active again if it is about another. */
  readonly items: readonly string[];
  /** The next run tries again by itself. */
  readonly retried: boolean;
  /** The steps to take, in order. */
  readonly steps: readonly AlertStep[];
  /** Somebody dismissed it: then it is a note. */
  readonly dismissed: boolean;
};

/** Maximum of names that are shown; the others are counted or folded. */
export const namesShown = 5;

/** Names that the title only counts: it has two, or three days. */
export const countedNames = ({ named }: Pick<ActiveAlert, 'named'>): readonly Named[] =>
  named.filter(({ noun, names }) => names.length > (noun === 'day' ? 3 : 2));

/** `40 accounts: A, B, C, D, E`; the rest is `and 35 more`, null if there is none. */
export function splitNames({ noun, names }: Named): { readonly shown: string; readonly more: string | null } {
  const rest = names.length - namesShown;
  const shown = `${names.length.toLocaleString('en')} ${noun}s: ${names.slice(0, namesShown).join(', ')}`;
  return { shown, more: rest > 0 ? `and ${rest.toLocaleString('en')} more` : null };
}

/** `40 accounts: A, B, C, D, E and 35 more` */
export function namesLine(named: Named): string {
  const { shown, more } = splitNames(named);
  return more === null ? shown : `${shown} ${more}`;
}

/** The lines of what the title only counts. */
export const countedLines = (alert: Pick<ActiveAlert, 'named'>): string[] =>
  countedNames(alert).map((named) =>
    splitNames(named).more === null ? namesLine(named) : `${namesLine(named)} (status --json has all)`,
  );

/** `2 to do: token refused (Valley); mail refused (gone@example.com)`: names three. */
export function toDoLine(subjects: readonly string[]): string {
  const named = subjects.length > 3 ? [...subjects.slice(0, 3), '…'] : subjects;
  return `${subjects.length} to do: ${named.join('; ')}`;
}

/** Returns whether an alert needs a run or a person: the others are notes. */
export const needsAction = ({ severity }: Pick<ActiveAlert, 'severity'>): boolean => severity !== 'note';

/** Returns whether one of its steps is to dismiss it: others end by what they say, and only then. */
export const mayDismiss = ({ steps }: Pick<ActiveAlert, 'steps'>): boolean =>
  steps.some((step) => step.command?.includes('--dismiss'));

/** One line of `doctor`: a result, and what to do about it. */
export type Finding = {
  readonly area: 'settings' | 'database' | 'mail' | 'alerts' | 'service';
  readonly subject: string;
  readonly message: string;
} & (
  | { readonly status: 'ok' }
  | { readonly status: 'warning'; readonly advice: string }
  | { readonly status: 'error'; readonly advice: string; readonly exitCode: ExitCode }
);
