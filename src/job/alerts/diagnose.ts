import { type ActiveAlert, alertCodes } from '../../model/alert.ts';
import { accountAlerts } from './account-alerts.ts';
import { mailAlerts } from './mail-alerts.ts';
import { runAlerts } from './run-alerts.ts';
import type { FoundAlert, LastRun, RecordedAlert, WarehouseState } from './state.ts';

export type DiagnosisInput = {
  readonly state: WarehouseState;
  readonly now: Temporal.Instant;
  /** `TIME_ZONE`: alerts name times in it. */
  readonly timeZone: string;
};

const severities = ['error', 'warning', 'note'] as const;

/** The active alerts, the gravest first: one for each cause, whatever it hit. */
export function diagnose({ state, now, timeZone }: DiagnosisInput): ActiveAlert[] {
  const nextAttempt = describeNextAttempt(state.lastRun, timeZone);
  return [
    ...accountAlerts(state, now, nextAttempt),
    ...runAlerts(state, nextAttempt),
    ...mailAlerts(state, nextAttempt),
  ]
    .map((alert) => withRecord(alert, state.recorded.get(alert.key)))
    .sort((one, other) => rankOf(one) - rankOf(other) || codeRankOf(one) - codeRankOf(other));
}

/** By severity; within one, alerts that no run heals come first. */
const rankOf = ({ severity, retried }: ActiveAlert) => 2 * severities.indexOf(severity) + Number(retried);

const codeRankOf = ({ code }: ActiveAlert) => alertCodes.indexOf(code);

/** An acknowledged alert is a note until it affects more than it did then. */
function withRecord(alert: FoundAlert, recorded: RecordedAlert | undefined): ActiveAlert {
  const acknowledged = new Set(recorded?.dismissed);
  const dismissed = acknowledged.size > 0 && alert.affects.every((each) => acknowledged.has(each));
  return {
    ...alert,
    since: recorded?.since ?? null,
    dismissed,
    severity: dismissed ? 'note' : alert.severity,
  };
}

/** A sentence that says when failed work is tried again. */
function describeNextAttempt(lastRun: LastRun | null, timeZone: string): string {
  if (lastRun?.state === 'in progress') return 'The run in progress tries again.';
  if (lastRun === null || lastRun.retryAt === null) return 'The next run tries again.';
  const at = lastRun.retryAt.toZonedDateTimeISO(timeZone).toPlainTime().toString().slice(0, 5);
  return `The run tries again by itself at ${at} (${timeZone}).`;
}
