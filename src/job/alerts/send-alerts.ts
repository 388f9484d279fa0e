import { composeAlert } from '../../digest/render/alert.ts';
import { addressed, buildMime, newMessageId } from '../../mail/message.ts';
import { type ActiveAlert, needsAction } from '../../model/alert.ts';
import { markAlerted, recordAlerts } from '../../warehouse/outbox/alerts.ts';
import { inRounds } from '../digests/deliver-digests.ts';
import type { AppContext } from '../run/app-context.ts';
import { endingOf } from '../run/ending.ts';
import type { Run } from '../run/run.ts';
import { readAlerts } from './read-alerts.ts';
import { runFailedAlert } from './run-alerts.ts';

/**
 * Records the active alerts, and mails `ALERT_TO` those not yet mailed on this run date: a retry or a restart
 * repeats none. If the mail can't be sent, the next run sends it.
 *
 * @param full the run looked at everything, so alerts that it doesn't find are over
 */
export async function sendRunAlerts(run: Run, full: boolean): Promise<void> {
  const alerts = await readAlerts(run.warehouse, run, run);
  const { unsent, resolved } = await recordAlerts(run.warehouse, alerts, run.runDate, full);
  const fresh = alerts.filter((alert) => needsAction(alert) && unsent.includes(alert.key));
  if (fresh.length > 0) await notify(run, fresh, resolved);
}

/**
 * Mails `ALERT_TO` the refused tokens of a run that is retried: the next run heals once somebody has replaced
 * them. The last run sends all other alerts. If the mail can't be sent, the next run sends it.
 */
export async function alertRefusedTokens(run: Run): Promise<void> {
  const alerts = await readAlerts(run.warehouse, run, run);
  const refused = alerts.filter((alert) => alert.code === 'TOKEN_REFUSED' && needsAction(alert));
  const { unsent, resolved } = await recordAlerts(run.warehouse, refused, run.runDate, false);
  const fresh = refused.filter(({ key }) => unsent.includes(key));
  if (fresh.length > 0) await notify(run, fresh, resolved);
}

async function notify(run: Run, alerts: readonly ActiveAlert[], resolved: readonly string[]): Promise<void> {
  const { warehouse, config, runDate, stats, signal } = run;
  if (config.mail.alertTo.length === 0) return;
  if (!(await sendAlert(run, alerts, resolved, signal))) {
    stats.alerts.failed++;
    return;
  }
  stats.alerts.sent++;
  const keys = alerts.map(({ key }) => key);
  await markAlerted(warehouse, keys, runDate);
}

/** Mails `ALERT_TO` the error that ended a run. It doesn't use the database, which may be down. */
export async function sendErrorAlert(app: AppContext, error: unknown, signal: AbortSignal): Promise<void> {
  const { failure } = endingOf(error);
  // Interrupted, or another run is in progress.
  if (failure === null || failure.code === 'RUN_IN_PROGRESS') return;
  if (app.config.mail.alertTo.length === 0 || signal.aborted) return;
  const alert = {
    ...runFailedAlert({ code: failure.code, detail: failure.message }),
    since: null,
    dismissed: false,
  };
  try {
    await sendAlert(app, [alert], [], signal);
  } catch (failed) {
    // The error that ended the run matters more: it is reported next.
    app.log.error(`no alert could be sent: ${(failed as Error).message}`);
  }
}

/** Resolves to whether any recipient got it. */
export async function sendAlert(
  app: AppContext,
  alerts: readonly ActiveAlert[],
  resolved: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const { config, redact, log } = app;
  const { from, alertTo } = config.mail;
  const date = new Date(app.clock().epochMilliseconds);
  const redacted = alerts.map((each) => ({ ...each, title: redact(each.title), cause: redact(each.cause) }));
  const built = await buildMime(
    composeAlert(
      redacted,
      resolved.map((each) => redact(each)),
    ),
    { from, replyTo: null },
    date,
  );
  // Recipients see each other: they work together.
  const mime = addressed(built, alertTo, newMessageId(from));
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
