import { type AlertMessage, composeAlert } from '../../digest/compose-alert.ts';
import { addressed, buildMime, newMessageId } from '../../mail/message.ts';
import { type ActiveAlert, type AlertInBrief, needsAction } from '../../model/alert.ts';
import { today } from '../../model/day.ts';
import {
  type ClaimedNews,
  claimNews,
  endAlerts,
  type FoundAlerts,
  markNotified,
  recordAlerts,
  releaseClaims,
} from '../../warehouse/outbox/alerts.ts';
import type { AppContext } from '../run/app-context.ts';
import { requireSchema } from '../run/database.ts';
import { endingOf } from '../run/ending.ts';
import type { Run } from '../run/run.ts';
import { recordUnrecorded } from '../run/unrecorded.ts';
import type { AlertCode } from './conditions/catalogue.ts';
import { serviceConditions } from './conditions/service.ts';
import { diagnose } from './diagnose.ts';
import { readState, scheduledTimes } from './read-alerts.ts';
import { nothingKnown, type WarehouseState } from './state.ts';

type Found = Omit<FoundAlerts, 'alerts'> & { readonly alerts: readonly ActiveAlert[] };

/** Logs the active alerts at the end of a run, sends what is news, and returns them in brief. */
export async function sendRunAlerts(run: Run, isNightly: boolean): Promise<AlertInBrief[]> {
  const { alerts } = await readState(run.warehouse, run, run);
  const active = alerts.filter(needsAction);
  for (const { severity, code, key, title } of active)
    run.log[severity === 'error' ? 'error' : 'warn']({ code, alert: key }, `alert: ${title}`);
  // A dated run may have settings that don't know all digests.
  await sendOfRun(run, alerts, (key) => isNightly || !/^(MAIL|DIGEST)_/.test(key));
  return active.map(({ kind, subject }) => ({ kind, subject: run.redactOwn(subject) }));
}

/** Alerts that don't wait for the last run of a scheduled time: a person has to act. */
const refusals = ['TOKEN_REFUSED', 'CLIENT_LIST_REFUSED', 'INVALID_CONFIGURATION', 'UNKNOWN_ANSWER'];

/** Sends the alerts of refusals after a run that will be retried. The last run sends all others. */
export async function alertRefusals(run: Run): Promise<void> {
  const { alerts } = await readState(run.warehouse, run, run);
  const refused = alerts.filter((alert) => refusals.includes(alert.code) && needsAction(alert));
  if (refused.length > 0) await sendOfRun(run, refused, () => false);
}

async function sendOfRun(run: Run, alerts: readonly ActiveAlert[], mayEnd: Found['mayEnd']): Promise<void> {
  const { runDate } = run;
  const result = await sendNews(run, { alerts, runDate, mayEnd, holdsRunLock: true }, run.signal);
  if (result !== 'no news') run.stats.alerts[result]++;
}

/**
 * Looks at the alerts between two runs, and sends what is news: a night that never began, what a command ended. A run that is running
 * or is to be retried sends its own.
 */
export async function sendBetweenRuns(app: AppContext, signal: AbortSignal): Promise<void> {
  await requireSchema(app.warehouse);
  const { alerts, running, lastRun } = await readState(app.warehouse, app);
  if (running !== null || lastRun === null || lastRun.retryAt !== null) return;
  // Until the next run, it is the date of the last one: reminders come with runs.
  const newest = scheduledTimes(app.config).newest(app.clock());
  const runDate = today(newest, app.config.planning.timeZone);
  await sendNews(app, { alerts, runDate, mayEnd: () => true, holdsRunLock: false }, signal);
}

/**
 * Sends the error that ended or prevented the last run of this process. If the database takes no rows, the process remembers that it
 * was sent; no other process knows: who types a run, and reads the error, gets no mail of it.
 */
export async function sendLastRunFailure(
  app: AppContext,
  signal: AbortSignal,
  isWatched = false,
): Promise<void> {
  const { run, notified } = app.unrecorded;
  if (run === null) return;
  const { runDate } = run;
  const alert = alertOfError(app, run);
  const { key, title } = alert;
  const isRecorded = await recordUnrecorded(app).then(
    () => true,
    () => false,
  );
  try {
    if (isRecorded) {
      const found = { alerts: [alert], runDate, mayEnd: () => false, holdsRunLock: false };
      await sendNews(app, found, signal);
    } else if (!isWatched && notified.get(key)?.runDate !== runDate && hasChannel(app)) {
      const { isSent } = await sendAlert(app, signal, [alert]);
      if (isSent) notified.set(key, { title: app.redactOwn(title), runDate });
    }
  } catch (failed) {
    // The error that ended the run matters more: it is reported next.
    app.log.error(`no alert could be sent: ${(failed as Error).message}`);
  }
}

/**
 * Sends what is news of the alerts that somebody found: each once a run date, so a retry or a restart repeats none, and each end once.
 * What can't be sent, the next who looks sends.
 */
async function sendNews(
  app: AppContext,
  found: Found,
  signal: AbortSignal,
): Promise<'sent' | 'failed' | 'no news'> {
  // An outage ends nothing: a refusal may still hold as long as the service doesn't answer.
  const isAway = found.alerts.some(({ code }) => code === 'SERVICE_UNAVAILABLE');
  const mayEnd = (key: string) => found.mayEnd(key) && !(isAway && key.split('/')[0]! in serviceConditions);
  const claimed = await claimNews(app.warehouse, { ...found, mayEnd });
  if (claimed.begun.length + claimed.over.length === 0) return 'no news';
  const active = found.alerts.filter(needsAction);
  const begun = active.filter(({ key }) => claimed.begun.includes(key));
  const earlier = active.filter((alert) => !begun.includes(alert));
  let isSent = false;
  let postError: string | null | undefined;
  try {
    if (hasChannel(app)) ({ isSent, postError } = await sendAlert(app, signal, begun, earlier, claimed.over));
  } finally {
    if (isSent) await markNotified(app.warehouse, claimed, found.runDate);
    else await releaseClaims(app.warehouse, claimed);
  }
  // The next alert and `status` say that the webhook took none, until it takes one.
  const key: AlertCode = 'WEBHOOK_FAILED';
  if (postError === null) await endAlerts(app.warehouse, [key], found.runDate);
  else if (postError !== undefined) {
    const title = `ALERT_WEBHOOK_URL did not take the alert (${postError})`;
    await recordAlerts(app.warehouse, [{ key, title }], found.runDate, null);
  }
  if (isSent) return 'sent';
  return hasChannel(app) ? 'failed' : 'no news';
}

const hasChannel = ({ config, postAlert }: AppContext) => config.alerts.to.length > 0 || postAlert !== null;

/** The text of the watchdog after a run: its active alerts, or the error that ended it. */
export async function diagnosisText(app: AppContext, error: unknown = null): Promise<string> {
  try {
    const failure = error === null ? null : endingOf(error).failure;
    const begun =
      failure === null
        ? (await readState(app.warehouse, app)).alerts.filter(needsAction)
        : [alertOfError(app, { code: failure.code, detail: failure.message })];
    return textOf(compose(app, begun));
  } catch (failed) {
    return app.redact((failed as Error).message);
  }
}

/** The alert about an error that nothing was recorded of: the database may be away. */
function alertOfError({ clock, config }: AppContext, preventing: WarehouseState['preventing']): ActiveAlert {
  const now = clock();
  const { timeZone } = config.planning;
  const nextRunAt = scheduledTimes(config).next(now);
  return diagnose({ ...nothingKnown, nextRunAt, preventing }, now, timeZone)[0]!;
}

const textOf = ({ subject, text }: AlertMessage) => `${subject}\n\n${text}`;

function compose(
  { config, redactOwn }: AppContext,
  begun: readonly ActiveAlert[],
  earlier: readonly ActiveAlert[] = [],
  over: ClaimedNews['over'] = [],
): AlertMessage {
  const redacted = (alert: ActiveAlert) => ({
    ...alert,
    subject: redactOwn(alert.subject),
    title: redactOwn(alert.title),
    explanation: redactOwn(alert.explanation),
  });
  const resolved = over.map(({ title }) => redactOwn(title));
  const content = { begun: begun.map(redacted), earlier: earlier.map(redacted), resolved };
  return composeAlert(content, config.alerts);
}

/** Resolves to whether anybody got it, by mail or webhook, and to the webhook's error; undefined without a webhook. */
async function sendAlert(
  app: AppContext,
  signal: AbortSignal,
  begun: readonly ActiveAlert[],
  earlier: readonly ActiveAlert[] = [],
  over: ClaimedNews['over'] = [],
): Promise<{ readonly isSent: boolean; readonly postError: string | null | undefined }> {
  const message = compose(app, begun, earlier, over);
  const isFiring = begun.length > 0;
  const state = {
    status: isFiring ? ('firing' as const) : ('resolved' as const),
    keys: (isFiring ? begun : over).map(({ key }) => key),
  };
  const postError = await app.postAlert?.(textOf(message), state);
  const isMailed = await mailAlert(app, message, signal);
  return { isSent: postError === null || isMailed, postError };
}

/** Mails `ALERT_TO`. What fails isn't tried again: the next who looks sends it, if nobody got it. */
async function mailAlert(app: AppContext, message: AlertMessage, signal: AbortSignal): Promise<boolean> {
  const { from } = app.config.mail;
  const { to } = app.config.alerts;
  if (to.length === 0) return false;
  const date = app.clock();
  // Recipients see each other: they work together.
  const mime = addressed(await buildMime(message), {
    date,
    from,
    replyTo: null,
    to,
    messageId: newMessageId(from),
    list: null,
  });
  const name = `alert-${date.toString().slice(0, 10)}`;
  const mailer = app.mailer();
  let isSent = false;
  for (const recipient of to) {
    const unreachable = await mailer.reach(signal);
    const { state, reply } = unreachable ?? (await mailer.send({ from, recipient, mime, name }, signal));
    const delivered = state === 'sent' || state === 'written';
    isSent ||= delivered;
    app.log[delivered ? 'info' : 'error'](`alert to ${recipient}: ${state} (${reply})`);
    if (unreachable !== null) break;
  }
  mailer.close();
  return isSent;
}
