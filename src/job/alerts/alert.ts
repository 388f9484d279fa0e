import { composeAlert } from '../../digest/render/alert.ts';
import { addressed, buildMime, newMessageId } from '../../mail/message.ts';
import type { AlertSince } from '../../model/alert.ts';
import { addDays } from '../../model/day.ts';
import { Interrupted } from '../../model/exit-code.ts';
import { Failure } from '../../model/failure.ts';
import { pause } from '../../support/clock.ts';
import { npmCommand } from '../../support/commands.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import { markAlerted, recordAlerts, undeliveredMessages } from '../../warehouse/outbox/alerts.ts';
import { incompleteDigests } from '../../warehouse/outbox/corrections.ts';
import type { AppContext } from '../run/app-context.ts';
import type { Run } from '../run/run.ts';
import { activeAlerts, type Remains } from './active-alerts.ts';

/** Mails `ALERT_TO` all active alerts at once. If the mail can't be sent, the next run sends it. */
export async function sendRunAlerts(run: Run, whole: boolean): Promise<void> {
  if (run.config.mail.alertTo.length === 0) return;
  const remains = await readRemains(run);
  const alerts = activeAlerts(remains);
  const keys = alerts.map(({ key }) => key);
  const since = await recordAlerts(run.warehouse, keys, run.runDate, whole);
  if (alerts.length === 0) return;
  const sinceAlerts = alerts.map((alert) => {
    const runDate = since.get(alert.key)!;
    return { ...alert, sinceRunDate: runDate < run.runDate ? runDate : null };
  });
  if (!(await sendAlert(run, sinceAlerts, run.signal))) {
    run.stats.alerts.failed++;
    return;
  }
  run.stats.alerts.sent++;
  const settled = remains.deliveries.filter(({ state }) => state === 'refused' || state === 'unknown');
  const ids = settled.map(({ deliveryId }) => deliveryId);
  await markAlerted(run.warehouse, keys, ids, run.runDate);
}

async function readRemains({
  warehouse,
  config,
  runDate,
  stats,
}: Pick<Run, 'warehouse' | 'config' | 'runDate' | 'stats'>): Promise<Remains> {
  const since = addDays(runDate, -config.planning.catchUpDays);
  return {
    failures: stats.failures,
    held: (await readLedger(warehouse, since)).filter((entry) => entry.held),
    deliveries: await undeliveredMessages(warehouse),
    incomplete: await incompleteDigests(warehouse, since),
  };
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
  if (failure?.kind === 'another run') return null;
  const last = { key: 'death', sinceRunDate: null };
  if (failure === null) {
    const cause = `${String(error)}. The log has more; please report it. The next run tries again.`;
    return {
      ...last,
      what: 'An internal error of Callsheet ended the run',
      cause,
      command: npmCommand('run'),
    };
  }
  const command = failure.kind === 'schema too old' ? npmCommand('migrate') : npmCommand('doctor');
  return {
    ...last,
    what: `The run ended: ${failure.message}`,
    cause: `${failure.advice}.`,
    command,
  };
}

/** Whether any recipient got it. */
async function sendAlert(
  { config, clock, log, mailer: createMailer, mailPauses, redact }: AppContext,
  alerts: readonly AlertSince[],
  signal: AbortSignal,
): Promise<boolean> {
  const { from, alertTo } = config.mail;
  const date = new Date(clock().epochMilliseconds);
  const message = composeAlert(
    alerts.map((each) => ({ ...each, what: redact(each.what), cause: redact(each.cause) })),
  );
  const built = await buildMime(message, { from, replyTo: null }, date);
  // Its readers work together: each sees the other recipients.
  const mime = addressed(built, alertTo.join(', '), newMessageId(from));
  const name = `alert-${date.toISOString().slice(0, 10)}`;
  const mailer = createMailer();
  let waiting = alertTo;
  let sent = false;
  for (const milliseconds of [0, ...mailPauses]) {
    if (waiting.length === 0) break;
    await pause(milliseconds, signal);
    const retried: string[] = [];
    for (const recipient of waiting) {
      const unreachable = await mailer.reach(signal);
      const attempt = unreachable ?? (await mailer.send({ from, recipient, mime, name }, signal));
      const { state, reply } = attempt;
      if (state === 'sent' || state === 'written') sent = true;
      if (attempt.retryable) retried.push(recipient);
      const level = state === 'sent' || state === 'written' ? 'info' : 'error';
      log[level](`alert to ${recipient}: ${state} (${reply})`);
    }
    mailer.close();
    waiting = retried;
  }
  return sent;
}
