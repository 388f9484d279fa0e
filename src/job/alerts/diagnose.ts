import { type ActiveAlert, type AlertStep, alertCodes } from '../../model/alert.ts';
import { type Day, today } from '../../model/day.ts';
import { formatDate } from '../../support/english.ts';
import { type Concern, findConcerns } from './concerns.ts';
import type { FoundAlert, RecordedAlert, WarehouseState } from './state.ts';
import { alertOf } from './texts.ts';

export type DiagnosisInput = {
  readonly state: WarehouseState;
  readonly now: Temporal.Instant;
  /** `TIME_ZONE`: alerts name dates and times in it. */
  readonly timeZone: string;
};

const severities = ['error', 'warning', 'note'] as const;

/** The active alerts, the gravest first: one for each cause, whatever it hit. */
export function diagnose({ state, now, timeZone }: DiagnosisInput): ActiveAlert[] {
  const concerns = findConcerns(state, now);
  const situation = {
    today: today(now, timeZone),
    nextAttempt: describeNextAttempt(state, now, timeZone),
    accounts: state.accounts.length,
    concerns,
  };
  return [...Map.groupBy(concerns, keyOf)]
    .map(([key, group]) =>
      withRecord(alertOf(key, group, situation), state.recorded.get(key), situation.today),
    )
    .map((alert) => (state.running === null ? alert : { ...alert, steps: alert.steps.map(onceItEnded) }))
    .sort((one, other) => rankOf(one) - rankOf(other) || codeRankOf(one) - codeRankOf(other));
}

/** The alert about one concern alone, which nothing was recorded of. */
export function diagnoseOne(concern: Concern, now: Temporal.Instant, timeZone: string): ActiveAlert {
  const situation = {
    today: today(now, timeZone),
    nextAttempt: nextRunTries,
    accounts: 0,
    concerns: [concern],
  };
  return withRecord(alertOf(keyOf(concern), [concern], situation), undefined, situation.today);
}

/** The key of an alert: it stays while the alert lasts. */
const keyOf = ({ code, cause }: Concern): string => (cause === undefined ? code : `${code}/${cause}`);

/** By severity; within one, alerts that no run heals come first. */
const rankOf = ({ severity, retried }: ActiveAlert) => 2 * severities.indexOf(severity) + Number(retried);

const codeRankOf = ({ code }: ActiveAlert) => alertCodes.indexOf(code);

/** An acknowledged alert is a note until it affects more than it did then. */
function withRecord(alert: FoundAlert, recorded: RecordedAlert | undefined, now: Day): ActiveAlert {
  const acknowledged = new Set(recorded?.dismissed);
  const dismissed = acknowledged.size > 0 && alert.affects.every((each) => acknowledged.has(each));
  const since = recorded?.since ?? null;
  const when = since === null ? '' : `Since ${formatDate(since, now)}. `;
  return {
    ...alert,
    explanation: `${when}${dismissed ? 'Acknowledged.' : alert.cause}`,
    since,
    dismissed,
    severity: dismissed ? 'note' : alert.severity,
  };
}

/** A second run would end at once: another one is running. */
const onceItEnded = (step: AlertStep): AlertStep =>
  step.command?.length === 1 && step.command[0] === 'run'
    ? { ...step, text: 'Once the current run has ended, if this is still here' }
    : step;

const nextRunTries = 'The next run tries again.';

/** A sentence that says when failed work is tried again. */
function describeNextAttempt(
  { lastRun, running }: WarehouseState,
  now: Temporal.Instant,
  timeZone: string,
): string {
  if (running !== null) return 'The current run tries again.';
  if (lastRun?.retryAt) {
    const at = lastRun.retryAt.toZonedDateTimeISO(timeZone).toPlainTime().toString().slice(0, 5);
    return `The run is retried automatically at ${at} (${timeZone}).`;
  }
  const next = lastRun?.nextScheduledAt;
  if (!lastRun?.isScheduled || next === undefined || Temporal.Instant.compare(next, now) < 0)
    return nextRunTries;
  const at = next.toZonedDateTimeISO(timeZone);
  const date = formatDate(today(next, timeZone), today(now, timeZone));
  return `The run of ${date}, ${at.toPlainTime().toString({ smallestUnit: 'minute' })} (${timeZone}) tries again.`;
}
