import { type Day, isOver, yesterday } from '../../model/day.ts';
import { formatCountOf, formatDays, plural } from '../../support/english.ts';
import { walkConcerns } from '../clients/walk-status.ts';
import { heldDays, quarantined, suspiciousDays } from './response-alerts.ts';
import type { AccountContext, AccountState, FoundAlert } from './state.ts';
import { beyondCatchUp, dismiss, loadSteps, typed } from './steps.ts';

/** The alerts about an account, besides those about errors. */
export function accountAlerts(context: AccountContext): FoundAlert[] {
  const { account } = context;
  return [
    ...missingDays(context),
    ...heldDays(account),
    ...suspiciousDays(account),
    ...quarantined(account),
    ...missingClients(account),
  ];
}

function missingDays(context: AccountContext): FoundAlert[] {
  const { name, label, missing, firstCaughtUp } = context.account;
  const days = missing.filter((day) => !awaitsRun(day, context));
  if (days.length === 0) return [];
  const old = days.filter((day) => day < firstCaughtUp);
  const key = `DAYS_NOT_LOADED/${name}`;
  return [
    {
      code: 'DAYS_NOT_LOADED',
      key,
      account: name,
      severity: 'error',
      title: `${label}: ${formatDays(days)} ${plural(days.length, "isn't", "aren't")} loaded`,
      cause: [
        `No run has loaded ${plural(days.length, 'it since it was', 'them since they were')} over.`,
        ...(old.length < days.length ? [context.nextAttempt] : []),
        ...beyondCatchUp(old),
      ].join(' '),
      days,
      affects: days,
      retried: old.length === 0,
      steps: loadSteps(context.account, days, key),
    },
  ];
}

/**
 * Returns whether the next run loads a day by itself: it ended after the last run began, or that run or a
 * backfill is still at work. A run that ends meanwhile planned without the days of a backfill.
 */
function awaitsRun(
  day: Day,
  { account: { timeZone }, now, isBackfilling, lastRun }: AccountContext,
): boolean {
  const isYesterday = day === yesterday(now, timeZone);
  if (isBackfilling && !isYesterday) return true;
  if (lastRun === null) return false;
  if (isYesterday && (lastRun.state === 'in progress' || lastRun.state === 'waiting')) return true;
  if (isOver(day, timeZone, lastRun.startedAt)) return false;
  return isYesterday || Temporal.Instant.compare(now, lastRun.nextScheduledAt) < 0;
}

function missingClients({ name, label, walk }: AccountState): FoundAlert[] {
  const concern = walkConcerns(walk).find(({ kind }) => kind === 'implausible');
  if (concern === undefined) return [];
  const { missing, since } = concern;
  return [
    {
      code: 'CLIENTS_MISSING',
      key: `CLIENTS_MISSING/${name}`,
      account: name,
      severity: 'warning',
      title: `${label}: ${formatCountOf(missing, 'client')} ${plural(missing, 'is', 'are')} missing since ${since}`,
      cause:
        'That is over half of the list, and more often an error of the service than news, so nobody is marked absent. It is over when a complete walk has them again.',
      days: [],
      affects: [since],
      retried: true,
      steps: [
        typed('To see what the service lists', 'clients'),
        dismiss('If they are gone', `CLIENTS_MISSING/${name}`),
      ],
    },
  ];
}
