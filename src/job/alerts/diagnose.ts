import { type ActiveAlert, alertCodes, needsAction } from '../../model/alert.ts';
import { accountAlerts } from './account-alerts.ts';
import { errorAlerts } from './error-alerts.ts';
import { mailAlerts } from './mail-alerts.ts';
import { sameCampaigns } from './response-alerts.ts';
import { describeNextAttempt, lastRunAlerts } from './run-alerts.ts';
import type { FoundAlert, RecordedAlert, WarehouseState } from './state.ts';

export type DiagnosisInput = {
  readonly state: WarehouseState;
  readonly now: Temporal.Instant;
  /** `TIME_ZONE`: alerts name times in it. */
  readonly timeZone: string;
};

const severities = ['error', 'warning', 'note'] as const;

/**
 * The active alerts, the gravest first: one for each cause. Alert mail, page, `status` and metrics render this
 * list and nothing else.
 */
export function diagnose({ state, now, timeZone }: DiagnosisInput): ActiveAlert[] {
  const { lastRun, isBackfilling } = state;
  const nextAttempt = describeNextAttempt(lastRun, timeZone);
  const accounts = state.accounts.map((account) => ({
    account,
    now,
    isBackfilling,
    lastRun,
    nextAttempt,
  }));
  const found = [
    ...accounts.flatMap(errorAlerts),
    ...lastRunAlerts(state, nextAttempt),
    ...accounts.flatMap(accountAlerts),
    ...state.sameCampaigns.map(sameCampaigns),
    ...mailAlerts(state, nextAttempt),
  ];
  return found
    .map((alert) => withRecord(alert, state.recorded.get(alert.key)))
    .sort((one, other) => rankOf(one) - rankOf(other) || codeRankOf(one) - codeRankOf(other));
}

/** By severity; within one, alerts that no run heals come first. */
const rankOf = ({ severity, retried }: ActiveAlert) => 2 * severities.indexOf(severity) + Number(retried);

const codeRankOf = ({ code }: ActiveAlert) => alertCodes.indexOf(code);

/** An acknowledged alert is a note until it affects more than it did then. */
function withRecord(alert: FoundAlert, recorded: RecordedAlert | undefined): ActiveAlert {
  const since = recorded?.since ?? null;
  const acknowledged = new Set(recorded?.dismissed);
  const dismissed = acknowledged.size > 0 && alert.affects.every((each) => acknowledged.has(each));
  return { ...alert, since, dismissed, severity: dismissed ? 'note' : alert.severity };
}

/** Returns whether anything needs a run or a person: if so, the page isn't green and `status` ends with 75. */
export const anyNeedsAction = (alerts: readonly ActiveAlert[]): boolean => alerts.some(needsAction);
