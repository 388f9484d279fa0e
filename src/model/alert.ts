import type { Day } from './day.ts';

/** The words of a command without the program's name. */
export type CommandWords = readonly string[];

/** One thing to do by hand, or a command and its purpose. */
export type AlertStep = { readonly text: string; readonly command: CommandWords | null };

/** Things of one kind that an alert is about: accounts, days, recipients or digests. */
export type Named = { readonly noun: string; readonly names: readonly string[] };

/** Who ends an alert. `to do`: only a person; `to check`: it ends by itself, unless somebody knows better; `note`: nobody has to. */
export type AlertKind = 'to do' | 'to check' | 'note';

/** An active alert. Mail, webhook, page, `status`, metrics and log render the same list: to do first, notes last. */
export type ActiveAlert = {
  /** The condition that holds: src/job/alerts/conditions has them. */
  readonly code: string;
  /** The code and, for some, how the service responded. It stays while the alert lasts; `status --dismiss` takes it. */
  readonly key: string;
  readonly kind: AlertKind;
  /** `error`: figures, a list or mail are missing; `warning`: they may be wrong. */
  readonly severity: 'error' | 'warning';
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
  const plural = names.length === 1 ? '' : 's';
  const shown = `${names.length.toLocaleString('en')} ${noun}${plural}: ${names.slice(0, namesShown).join(', ')}`;
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

/** An alert in brief, as a line counts and names it. */
export type AlertInBrief = Pick<ActiveAlert, 'kind' | 'subject'>;

const ofKind = (alerts: readonly AlertInBrief[], kind: AlertKind) =>
  alerts.filter((each) => each.kind === kind);

/** `1 to do, 3 to check`, without notes; null if there is neither. */
export function countAlerts(alerts: readonly AlertInBrief[]): string | null {
  const counts = (['to do', 'to check'] as const).map((kind) => `${ofKind(alerts, kind).length} ${kind}`);
  return counts.filter((count) => !count.startsWith('0 ')).join(', ') || null;
}

/** `2 to do: token refused (Valley); mail refused (gone@example.com); 3 to check`: names three, of what is to check only if nothing is to do. */
export function toDoLine(alerts: readonly AlertInBrief[]): string {
  const [toDo, toCheck] = [ofKind(alerts, 'to do'), ofKind(alerts, 'to check')];
  const named = (toDo.length > 0 ? toDo : toCheck).map(({ subject }) => subject);
  const brief = (named.length > 3 ? [...named.slice(0, 3), '…'] : named).join('; ');
  if (toDo.length === 0) return `${toCheck.length} to check: ${brief}`;
  return `${toDo.length} to do: ${brief}${toCheck.length > 0 ? `; ${toCheck.length} to check` : ''}`;
}

/** `In the runbook, docs/operations.md: RUN_FAILED, TOKEN_REFUSED`: what to search it for. */
export const runbookLine = (alerts: readonly Pick<ActiveAlert, 'code'>[]): string =>
  `In the runbook, docs/operations.md: ${[...new Set(alerts.map(({ code }) => code))].join(', ')}`;

/** Returns whether an alert is to do or to check: the others are notes. */
export const needsAction = ({ kind }: Pick<ActiveAlert, 'kind'>): boolean => kind !== 'note';

/** Returns whether `status` ends with 75 for it: it is to do, or figures, a list or mail are missing. */
export const isUrgent = ({ kind, severity }: Pick<ActiveAlert, 'kind' | 'severity'>): boolean =>
  kind === 'to do' || (kind === 'to check' && severity === 'error');

/** Returns whether one of its steps is to dismiss it: others end by what they say, and only then. */
export const mayDismiss = ({ steps }: Pick<ActiveAlert, 'steps'>): boolean =>
  steps.some((step) => step.command?.includes('--dismiss'));
