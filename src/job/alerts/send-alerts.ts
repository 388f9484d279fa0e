import { composeAlert } from '../../digest/render/alert.ts';
import { addressed, buildMime, newMessageId } from '../../mail/message.ts';
import type { AlertSince } from '../../model/alert.ts';
import { addDays } from '../../model/day.ts';
import { Failure } from '../../model/errors.ts';
import { Interrupted } from '../../model/exit-code.ts';
import { isCorrectable } from '../../planning/digests-due.ts';
import { npmCommand } from '../../support/commands.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';
import { readLedger, suspiciousWindows } from '../../warehouse/ledger/ledger.ts';
import { markAlerted, recordAlerts, unalerted, undeliveredMessages } from '../../warehouse/outbox/alerts.ts';
import { incompleteDigests } from '../../warehouse/outbox/corrections.ts';
import { readWalkStates } from '../../warehouse/queries/walk-states.ts';
import { inRounds } from '../digests/deliver-digests.ts';
import type { AppContext } from '../run/app-context.ts';
import type { Run } from '../run/run.ts';
import { activeAlerts } from './active-alerts.ts';
import { toRun } from './suggested-commands.ts';

export type AlertRun = AppContext & Pick<Run, 'runDate' | 'stats' | 'signal'>;

/**
 * Mails `ALERT_TO` all active alerts at once. If the mail can't be sent, the next run sends it.
 *
 * @param full whether the run looked at everything, so that alerts it doesn't have are over
 */
export async function sendRunAlerts(run: AlertRun, full: boolean): Promise<void> {
  const { warehouse, config, runDate, stats } = run;
  if (config.mail.alertTo.length === 0) return;
  const since = addDays(runDate, -config.planning.catchUpDays);
  const deliveries = await undeliveredMessages(warehouse);
  const alerts = activeAlerts({
    failures: stats.failures,
    walks: await readWalkStates(warehouse),
    held: (await readLedger(warehouse, since)).filter((entry) => entry.held),
    suspicious: await suspiciousWindows(warehouse, since),
    deliveries,
    incomplete: (await incompleteDigests(warehouse, since)).filter((each) =>
      isCorrectable(config.digests, each),
    ),
  });
  const keys = alerts.map(({ key }) => key);
  const activeSince = await recordAlerts(warehouse, keys, runDate, full);
  if (alerts.length === 0) return;
  // An earlier attempt of this run alerted all of them.
  if (stats.alerts.sent > 0 && (await unalerted(warehouse, keys, runDate)).length === 0) return;
  const sinceAlerts = alerts.map((alert) => {
    const alertedOn = activeSince.get(alert.key)!;
    return { ...alert, sinceRunDate: alertedOn < runDate ? alertedOn : null };
  });
  if (!(await sendAlert(run, sinceAlerts, run.signal))) {
    stats.alerts.failed++;
    return;
  }
  stats.alerts.sent++;
  const settled = deliveries.filter(({ state }) => state === 'refused' || state === 'unknown');
  const ids = settled.map(({ deliveryId }) => deliveryId);
  await markAlerted(warehouse, keys, ids, runDate);
}

/** Mails `ALERT_TO` the error that ended a run, without the database, which may be down. */
export async function sendErrorAlert(app: AppContext, error: unknown, signal: AbortSignal): Promise<void> {
  const alert = alertOfError(error);
  if (app.config.mail.alertTo.length === 0 || alert === null || signal.aborted) return;
  try {
    await sendAlert(app, [alert], signal);
  } catch (failed) {
    // The error that ended the run counts, and is reported next.
    app.log.error(`no alert could be sent: ${(failed as Error).message}`);
  }
}

/** Null where the run was interrupted, or another one is in progress. */
function alertOfError(error: unknown): AlertSince | null {
  if (error instanceof Interrupted) return null;
  const failure = error instanceof Failure ? error : warehouseFailure(error);
  if (failure?.code === 'RUN_IN_PROGRESS') return null;
  const ended = { key: 'run ended', sinceRunDate: null };
  if (failure === null) {
    return {
      ...ended,
      what: 'An internal error of Callsheet ended the run',
      cause: `${String(error)}. The log has more; please report it. The next run tries again.`,
      command: npmCommand(...toRun([])),
    };
  }
  return {
    ...ended,
    what: `The run ended: ${failure.message}`,
    cause: `${failure.advice}.`,
    command: npmCommand(failure.code === 'SCHEMA_TOO_OLD' ? 'migrate' : 'doctor'),
  };
}

/** Whether any recipient got it. */
export async function sendAlert(
  app: AppContext,
  alerts: readonly AlertSince[],
  signal: AbortSignal,
): Promise<boolean> {
  const { config, redact, log } = app;
  const { from, alertTo } = config.mail;
  const date = new Date(app.clock().epochMilliseconds);
  const message = composeAlert(
    alerts.map((each) => ({ ...each, what: redact(each.what), cause: redact(each.cause) })),
  );
  const built = await buildMime(message, { from, replyTo: null }, date);
  // Its readers work together: each sees the other recipients.
  const mime = addressed(built, alertTo.join(', '), newMessageId(from));
  const name = `alert-${date.toISOString().slice(0, 10)}`;
  const mailer = app.mailer();
  let sent = false;
  await inRounds(app, signal, alertTo, async (waiting) => {
    const retried: string[] = [];
    for (const recipient of waiting) {
      const unreachable = await mailer.reach(signal);
      const attempt = unreachable ?? (await mailer.send({ from, recipient, mime, name }, signal));
      const { state, reply } = attempt;
      const delivered = state === 'sent' || state === 'written';
      sent ||= delivered;
      if (attempt.retryable) retried.push(recipient);
      log[delivered ? 'info' : 'error'](`alert to ${recipient}: ${state} (${reply})`);
    }
    mailer.close();
    return retried;
  });
  return sent;
}
