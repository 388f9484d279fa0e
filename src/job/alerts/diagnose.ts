import type { ActiveAlert, AlertKind, AlertStep, Named } from '../../model/alert.ts';
import { type Day, today as dateOf } from '../../model/day.ts';
import { type DigestKey, periodOf } from '../../model/period.ts';
import {
  capitalize,
  formatCountOf,
  formatDate,
  formatList,
  formatPeriod,
  plural,
} from '../../support/english.ts';
import { type AlertCode, alertCodes, conditions } from './conditions/catalogue.ts';
import { type Alert, type Condition, kindOf, type Text } from './conditions/condition.ts';
import { formatLacking, type Items, lackingDays, namesOf, unique } from './items.ts';
import type { WarehouseState } from './state.ts';

/**
 * The active alerts, to do first, within each kind the gravest first: one for each condition and part, whatever it is about.
 *
 * @param timeZone of the dates and times that they name: `TIME_ZONE`
 */
export function diagnose(state: WarehouseState, now: Temporal.Instant, timeZone: string): ActiveAlert[] {
  const today = dateOf(now, timeZone);
  const nextAttempt = describeNextAttempt(state, now, timeZone);
  return alertCodes
    .flatMap((code) => {
      const { find }: Condition = conditions[code];
      // It stays while the alert lasts.
      const byKey = Map.groupBy(find(state), ({ part }) => (part == null ? code : `${code}/${part}`));
      return [...byKey].map(([key, items]) => activeAlert({ code, key, items, today, state }, nextAttempt));
    })
    .sort((one, other) => rankOf(one) - rankOf(other));
}

const kinds: readonly AlertKind[] = ['to do', 'to check', 'note'];

/** By kind; within one, errors come first, and of these the ones that no run heals. */
const rankOf = ({ kind, severity, retried }: ActiveAlert) =>
  4 * kinds.indexOf(kind) + 2 * Number(severity === 'warning') + Number(retried);

/** A dismissed alert is a note until it is about more than it was then. */
function activeAlert(alert: Alert & { readonly code: AlertCode }, nextAttempt: string): ActiveAlert {
  const { code, key, items, today, state } = alert;
  const condition: Condition = conditions[code];
  const text: Text = condition.describe(alert);
  const recorded = state.recorded.get(key);
  const dismissedItems = new Set(recorded?.dismissed);
  const ids = unique(items.map(({ id }) => id));
  const dismissed = dismissedItems.size > 0 && ids.every((id) => dismissedItems.has(id));
  const since = recorded?.since ?? null;
  const { about: titled = items } = text;
  const named = namedIn(titled, today);
  const whom = named.map((each) => (each.noun === 'day' ? formatLacking(titled, today) : countOrNames(each)));
  // The runs have no name; days that they lack are in the explanation.
  const isOfRuns = namedIn(titled.slice(0, 1), today).length === 0;
  const about = isOfRuns ? '' : [...whom, ...(text.more ?? [])].join(', ');
  const inBrackets = text.what.includes(': ') ? ` (${about})` : `: ${about}`;
  const retried = text.retried === true;
  const explanation = [
    // Days and digests say it themselves.
    ...(isOfRuns && since !== null ? [`Since ${formatDate(since, today)}.`] : []),
    text.explanation,
    ...(retried ? [nextAttempt] : []),
  ];
  return {
    code,
    key,
    kind: dismissed ? 'note' : kindOf(condition, alert),
    severity: condition.severity,
    subject: isOfRuns ? text.what : `${text.what.split(/: | \(/)[0]} (${countOrNames(named[0]!)})`,
    title: capitalize(about === '' ? text.what : `${text.what}${inBrackets}`),
    explanation: dismissed ? 'Dismissed.' : explanation.join(' '),
    since,
    accounts: namesOf(titled),
    named,
    items: ids,
    retried,
    steps: state.running === null ? text.steps : text.steps.map(onceItEnded),
    dismissed,
  };
}

/** The names of what the items are about, by kind: those whom it concerns come first. */
function namedIn(items: Items, now: Day): Named[] {
  const named: Named[] = [
    { noun: 'account', names: items.flatMap(({ account }) => account?.label ?? []) },
    { noun: 'recipient', names: items.flatMap(({ message }) => message?.recipient ?? []) },
    {
      noun: 'digest',
      names: items.flatMap(({ digest }) => (digest === undefined ? [] : nameOfDigest(digest, now))),
    },
    { noun: 'day', names: lackingDays(items).map((day) => formatDate(day, now)) },
  ];
  return named
    .filter(({ names }) => names.length > 0)
    .map(({ noun, names }) => ({ noun, names: unique(names) }));
}

const nameOfDigest = ({ name, every, day }: DigestKey, now: Day): string =>
  `${name} of ${formatPeriod(periodOf(every, day), (each) => formatDate(each, now))}`;

/** Two names, or how many. */
const countOrNames = ({ noun, names }: Named): string =>
  names.length <= 2 ? formatList(names) : formatCountOf(names.length, noun);

/** A second run would end at once: another one is running. */
const onceItEnded = (step: AlertStep): AlertStep =>
  step.command?.length === 1 && step.command[0] === 'run'
    ? { ...step, text: 'Once the current run has ended, if this alert is still active' }
    : step;

/** A sentence that says when failed work is tried again. */
function describeNextAttempt(
  { lastRun, nextRunAt, running, missedTimes }: WarehouseState,
  now: Temporal.Instant,
  timeZone: string,
): string {
  if (running?.kind === 'nightly') return 'The current run tries again.';
  const at = (time: Temporal.Instant) => {
    const clock = time.toZonedDateTimeISO(timeZone).toPlainTime().toString({ smallestUnit: 'minute' });
    return `${clock} (${timeZone})`;
  };
  if (lastRun?.retryAt) return `The run is retried automatically at ${at(lastRun.retryAt)}.`;
  if (missedTimes > 0) {
    const times = `${formatCountOf(missedTimes, 'scheduled time')} ${plural(missedTimes, 'has', 'have')} passed without a run`;
    return `${times}: is schedule running?`;
  }
  const date = formatDate(dateOf(nextRunAt, timeZone), dateOf(now, timeZone));
  return `The next run, due on ${date} at ${at(nextRunAt)}, tries again.`;
}
