import { type AlertMessage, composeAlert } from '../../digest/render/alert.ts';
import { addressed, buildMime, newMessageId } from '../../mail/message.ts';
import { type ActiveAlert, needsAction } from '../../model/alert.ts';
import { markAlerted, recordAlerts } from '../../warehouse/outbox/alerts.ts';
import { inRounds, isTriedAgain } from '../digests/deliver-digests.ts';
import type { AppContext } from '../run/app-context.ts';
import { endingOf } from '../run/ending.ts';
import type { Run } from '../run/run.ts';
import { readState } from './read-alerts.ts';
import { runFailedAlert } from './run-alerts.ts';

/**
 * Logs the active alerts and sends them. Once nothing is active any more, sends that. Returns them in brief.
 *
 * @param full the run looked at everything, so alerts that it doesn't find are over
 */
export async function sendRunAlerts(run: Run, full: boolean): Promise<string[]> {
  const { alerts } = await readState(run.warehouse, run, run);
  const active = alerts.filter(needsAction);
  for (const { severity, code, key, title } of active)
    run.log[severity === 'error' ? 'error' : 'warn']({ code, alert: key }, `alert: ${title}`);
  await notify(run, alerts, full);
  return active.map(({ brief }) => run.redact(brief));
}

/**
 * Sends the refused tokens of a run that is retried: the next run heals once somebody has replaced them. The last
 * run sends all other alerts.
 */
export async function alertRefusedTokens(run: Run): Promise<void> {
  const { alerts } = await readState(run.warehouse, run, run);
  const refused = alerts.filter((alert) => alert.code === 'TOKEN_REFUSED' && needsAction(alert));
  if (refused.length > 0) await notify(run, refused, false);
}

/**
 * Records alerts, and sends those not yet sent on this run date: a retry or a restart repeats none. What can't be
 * sent, the next run sends.
 */
async function notify(run: Run, alerts: readonly ActiveAlert[], full: boolean): Promise<void> {
  const { unsent, resolved } = await recordAlerts(run.warehouse, alerts, run.runDate, full);
  const active = alerts.filter(needsAction);
  const fresh = active.filter(({ key }) => unsent.includes(key));
  const isOver = active.length === 0 && resolved.length > 0;
  if (!hasChannel(run) || (fresh.length === 0 && !isOver)) return;
  if (!(await sendAlert(run, fresh, resolved, run.signal))) {
    run.stats.alerts.failed++;
    return;
  }
  run.stats.alerts.sent++;
  const keys = fresh.map(({ key }) => key);
  await markAlerted(run.warehouse, keys, run.runDate);
}

const hasChannel = ({ config, postAlert }: AppContext) => config.alerts.to.length > 0 || postAlert !== null;

/** Sends the error that ended a run. It doesn't use the database, which may be down. */
export async function sendErrorAlert(app: AppContext, error: unknown, signal: AbortSignal): Promise<void> {
  const alert = alertOfError(error);
  if (alert === null || !hasChannel(app) || signal.aborted) return;
  try {
    await sendAlert(app, [alert], [], signal);
  } catch (failed) {
    // The error that ended the run matters more: it is reported next.
    app.log.error(`no alert could be sent: ${(failed as Error).message}`);
  }
}

/** Null for an interruption, or if another run is in progress. */
function alertOfError(error: unknown): ActiveAlert | null {
  const { failure } = endingOf(error);
  if (failure === null || failure.code === 'RUN_IN_PROGRESS') return null;
  const found = runFailedAlert({ code: failure.code, detail: failure.message });
  return { ...found, since: null, dismissed: false };
}

/** What the watchdog shows after a run: its active alerts, or the error that ended it. */
export async function diagnosisText(app: AppContext, error: unknown = null): Promise<string> {
  const alert = error === null ? null : alertOfError(error);
  try {
    const alerts = alert === null ? (await readState(app.warehouse, app)).alerts : [alert];
    return textOf(compose(app, alerts.filter(needsAction), []));
  } catch (failed) {
    return app.redact((failed as Error).message);
  }
}

const textOf = ({ subject, text }: AlertMessage) => `${subject}\n\n${text}`;

function compose(
  { config, redact }: AppContext,
  alerts: readonly ActiveAlert[],
  resolved: readonly string[],
): AlertMessage {
  const redacted = alerts.map((alert) => ({
    ...alert,
    brief: redact(alert.brief),
    title: redact(alert.title),
    cause: redact(alert.cause),
  }));
  return composeAlert(
    redacted,
    resolved.map((title) => redact(title)),
    config.alerts,
  );
}

/** Resolves to whether anybody got it, by mail or webhook. */
export async function sendAlert(
  app: AppContext,
  alerts: readonly ActiveAlert[],
  resolved: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const message = compose(app, alerts, resolved);
  const isPosted = (await app.postAlert?.(textOf(message))) ?? false;
  const isMailed = await mailAlert(app, message, signal);
  return isPosted || isMailed;
}

/** Mails `ALERT_TO`. A mail server that can't be reached isn't tried again within the run. */
async function mailAlert(app: AppContext, message: AlertMessage, signal: AbortSignal): Promise<boolean> {
  const { from } = app.config.mail;
  const { to } = app.config.alerts;
  if (to.length === 0) return false;
  const date = new Date(app.clock().epochMilliseconds);
  // Recipients see each other: they work together.
  const mime = addressed(await buildMime(message, date), {
    from,
    replyTo: null,
    to,
    messageId: newMessageId(from),
    list: null,
  });
  const name = `alert-${date.toISOString().slice(0, 10)}`;
  const mailer = app.mailer();
  let isSent = false;
  await inRounds(app, signal, to, async (waiting) => {
    const retried: string[] = [];
    for (const recipient of waiting) {
      const unreachable = await mailer.reach(signal);
      const attempt = unreachable ?? (await mailer.send({ from, recipient, mime, name }, signal));
      const { state, reply } = attempt;
      const delivered = state === 'sent' || state === 'written';
      isSent ||= delivered;
      app.log[delivered ? 'info' : 'error'](`alert to ${recipient}: ${state} (${reply})`);
      if (unreachable !== null) break;
      if (isTriedAgain(attempt)) retried.push(recipient);
    }
    mailer.close();
    return retried;
  });
  return isSent;
}
