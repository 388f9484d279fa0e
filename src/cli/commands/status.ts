import type { Command } from 'commander';
import { didYouMean } from '../../config/did-you-mean.ts';
import { readState } from '../../job/alerts/read-alerts.ts';
import type { AccountState } from '../../job/alerts/state.ts';
import type { AppContext } from '../../job/run/app-context.ts';
import { openExistingDatabase, requireSchema } from '../../job/run/database.ts';
import { signId } from '../../model/accepted.ts';
import { type ActiveAlert, countedLines, isUrgent, mayDismiss, needsAction } from '../../model/alert.ts';
import { addDays, type Day, daysBetween } from '../../model/day.ts';
import { usageFailure } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import { asTyped } from '../../support/commands.ts';
import { formatList } from '../../support/english.ts';
import { readAccepted } from '../../warehouse/ledger/accepted.ts';
import { dismissWindows } from '../../warehouse/ledger/ledger.ts';
import type { WindowKey } from '../../warehouse/ledger/window-entry.ts';
import { dismissAlert } from '../../warehouse/outbox/alerts.ts';
import { unsentMail } from '../../warehouse/outbox/deliveries.ts';
import { lastRuns } from '../../warehouse/queries/run-history.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { exampleOf } from '../options.ts';
import {
  accountsNeedingAttention,
  describeStatus,
  type Status,
  statusAsJson,
  statusOf,
} from '../print-status.ts';

const runsShown = 5;

/** `status`: shows what needs a run or a person, and what is loaded. */
export function add(program: Command, context: Context): void {
  program
    .command('status')
    .description('Show alerts with what to type, days loaded, runs and mail')
    .option('--json', 'for machines: totals, and the accounts that need attention')
    .option('--all', 'also list what is accepted; with --json, all accounts')
    .option('--dismiss <KEY>', "dismiss an alert that can't be fixed, by its key")
    .addHelpText('after', exampleOf('status', '--json'))
    .action(async ({ json, all, dismiss }: { json?: true; all?: true; dismiss?: string }) => {
      const settings = readSettings(context, { service: false });
      const status = await withApp(
        settings,
        async (app) => {
          await requireSchema(app.warehouse);
          const alert = dismiss === undefined ? null : await dismissByKey(app, dismiss);
          if (alert !== null && !json) {
            const lines = countedLines(alert).map((line) => `  ${line}\n`);
            context.print(`Dismissed until it affects more: ${alert.title}\n${lines.join('')}`);
          }
          return await readStatus(app);
        },
        () => openExistingDatabase(settings, settings.log),
      );
      const shown = all ? status.accounts : accountsNeedingAttention(status);
      context.print(json ? statusAsJson(status, shown) : describeStatus(status, context.columns));
      if (all && !json) context.print(describeAccepted(status.accepted));
      if (status.alerts.some(isUrgent)) context.setExitCode(exitCode.runAgain);
    });
}

/** Dismisses the active alert with this key, and what it lacks. */
export async function dismissByKey(app: AppContext, key: string): Promise<ActiveAlert> {
  const { alerts, accounts } = await readState(app.warehouse, app);
  const alert = alerts.find((each) => each.key === key);
  if (alert === undefined) {
    const keys = alerts
      .filter(needsAction)
      .filter(mayDismiss)
      .map((each) => each.key);
    const known = keys.length === 0 ? 'nothing to dismiss' : `to dismiss: ${formatList(keys)}`;
    throw usageFailure(`no active alert has the key ${key}${didYouMean(key, keys)}; ${known}`);
  }
  if (!mayDismiss(alert))
    throw usageFailure(`${key} can't be dismissed: it ends once it is fixed; status shows what to type`);
  await dismissAlert(app.warehouse, alert);
  await dismissWindows(app.warehouse, unloadedWindows(alert, accounts));
  return alert;
}

/** The days that the alert says aren't loaded. Those that no run fetches any more it names by the first. */
function unloadedWindows({ items }: ActiveAlert, accounts: readonly AccountState[]): WindowKey[] {
  const affected = new Set(items);
  return accounts.flatMap(({ id, name, days, since, completeThrough, catchUpFrom }) => {
    const isAffected = (day: Day) => affected.has(`${name} ${day}`);
    const first = completeThrough === null ? since : addDays(completeThrough, 1);
    const isEarlier = first !== null && first < catchUpFrom && isAffected(first);
    const earlier = isEarlier ? daysBetween(first, addDays(catchUpFrom, -1)) : [];
    const own = days.filter(
      ({ day, state }) => (state === 'missing' || state === 'failed') && isAffected(day),
    );
    return [...earlier, ...own.map(({ day }) => day)].map((day) => ({ accountId: id, day }));
  });
}

/** What people said is the way of the service, and how to take it back. */
const describeAccepted = (accepted: Status['accepted']) =>
  [
    '',
    accepted.length === 0 ? 'Nothing is accepted for good.' : 'Accepted for good:',
    ...accepted.map(({ sign, account, acceptedAt, ...of }) => {
      const whose = account ?? 'all accounts';
      return `  "${sign}", ${whose}, since ${acceptedAt.slice(0, 10)}; to undo it:\n      ${asTyped('accept', '--always', signId({ ...of, sign }), '--undo')}`;
    }),
  ].join('\n');

/** The contents of `status`. */
export async function readStatus(app: AppContext): Promise<Status> {
  const { warehouse, config } = app;
  const { alerts, accounts, running } = await readState(warehouse, app);
  return {
    timeZone: config.planning.timeZone,
    alerts,
    accounts: accounts.map(statusOf),
    runs: await lastRuns(warehouse, runsShown),
    unsent: await unsentMail(warehouse, config.digests),
    running,
    accepted: await readAccepted(warehouse, config.service.baseUrl),
    quarantined: accounts.flatMap(({ name, quarantined }) =>
      quarantined.map((group) => ({ account: name, ...group })),
    ),
  };
}
