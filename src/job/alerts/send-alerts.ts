import { type AlertMessage, composeAlert } from '../../digest/compose-alert.ts';
import { addressed, buildMime, newMessageId } from '../../mail/message.ts';
import { type ActiveAlert, needsAction } from '../../model/alert.ts';
import { today } from '../../model/day.ts';
import { scheduledTimesOf } from '../../schedule/scheduled-times.ts';
import { formatDate } from '../../support/english.ts';
import { readRunBefore } from '../../warehouse/ledger/runs.ts';
import { markTold, recordAlerts, recordTold } from '../../warehouse/outbox/alerts.ts';
import { inRounds, isTriedAgain } from '../digests/deliver-digests.ts';
import type { AppContext } from '../run/app-context.ts';
import { endingOf } from '../run/ending.ts';
import type { Run } from '../run/run.ts';
import { type Concern, interruptedRun, runConcern } from './concerns.ts';
import { diagnoseOne } from './diagnose.ts';
import { errorOf, readState } from './read-alerts.ts';

/**
 * Logs the active alerts, sends what is news, and returns them in brief. The end of an alert is news, too: it goes with the
 * next message, and the last one is the all clear.
 */
export async function sendRunAlerts(run: Run, isNightly: boolean): Promise<string[]> {
  const { alerts } = await readState(run.warehouse, run, run);
  const active = alerts.filter(needsAction);
  for (const { severity, code, key, title } of active)
    run.log[severity === 'error' ? 'error' : 'warn']({ code, alert: key }, `alert: ${title}`);
  // A dated run may have settings that don't know all digests.
  await notify(run, alerts, (key) => isNightly || !/^(MAIL|DIGEST)_/.test(key));
  return active.map(({ brief }) => run.redactOwn(brief));
}

/**
 * Sends the tokens of a run that is retried that are believed to be refused: the next run heals once somebody has replaced them. The last
 * run sends all other alerts.
 */
export async function alertRefusedTokens(run: Run): Promise<void> {
  const { alerts } = await readState(run.warehouse, run, run);
  const refused = alerts.filter((alert) => alert.key === 'TOKEN_REFUSED' && needsAction(alert));
  if (refused.length > 0) await notify(run, refused, () => false);
}

/**
 * Records alerts, and sends what is news: each alert once a run date, so a retry or a restart repeats none, and each end once.
 * What can't be sent, the next run sends.
 */
async function notify(
  run: Run,
  alerts: readonly ActiveAlert[],
  mayEnd: (key: string) => boolean,
): Promise<void> {
  const { news, unknown } = await recordAlerts(run.warehouse, alerts, run.runDate, mayEnd);
  const active = alerts.filter(needsAction);
  const begun = active.filter(({ key }) => news.some((each) => each.key === key && !each.isOver));
  const over = news.filter(({ isOver }) => isOver);
  const isAllClear = active.length === 0 && unknown.length === 0 && over.length > 0;
  if (!hasChannel(run) || (begun.length === 0 && !isAllClear)) return;
  const titles = over.map(({ title }) => title);
  if (!(await sendAlert(run, begun, titles, run.signal))) {
    run.stats.alerts.failed++;
    return;
  }
  run.stats.alerts.sent++;
  const told = news.filter(({ key, isOver }) => isOver || begun.some((alert) => alert.key === key));
  await markTold(run.warehouse, told, run.runDate);
}

/**
 * Records at the start of a run what the one before could send, but not record: the error that ended it, or that it lost the
 * database. So its end is news. A run that couldn't even begin left no row: then a scheduled time passed. Before a retry,
 * nothing was sent.
 */
export async function recordUnrecorded(run: Run, isNightly: boolean): Promise<void> {
  const { timeZone } = run.config.planning;
  const about = (concern: Concern) => diagnoseOne(concern, run.clock(), timeZone);
  const kept = run.unrecorded.error;
  const before = await readRunBefore(run.warehouse, run.id);
  const startedAt = before === undefined ? null : Temporal.Instant.from(before.startedAt);
  // Unless a run of another process began since, and ended it.
  if (kept?.isTold && (startedAt === null || Temporal.Instant.compare(startedAt, kept.at) <= 0)) {
    const { key, title } = about(runConcern(kept));
    await recordTold(run.warehouse, { key, title: run.redactOwn(title) }, today(kept.at, timeZone));
    run.unrecorded.error = null;
    return;
  }
  run.unrecorded.error = null;
  if (run.number > 1 || before === undefined || startedAt === null) return;
  if (before.finishedAt === null) {
    const { key, title } = about(interruptedRun(before.run));
    await recordTold(run.warehouse, { key, title }, before.runDate);
    return;
  }
  const error = errorOf(before.summary);
  if (error !== null && error.code !== 'RUN_IN_PROGRESS' && before.retryAt === null) {
    const { key, title } = about(runConcern(error));
    await recordTold(run.warehouse, { key, title: run.redactOwn(title) }, before.runDate);
    return;
  }
  if (!isNightly || before.kind !== 'nightly') return;
  const times = scheduledTimesOf({ expression: run.config.schedule, timeZone });
  const period = times.newest(startedAt).until(times.next(startedAt));
  const end = Temporal.Instant.from(before.retryUntil ?? before.startedAt);
  const isLate = Temporal.Instant.compare(run.clock(), end.add(period).add(startsWithin)) > 0;
  if (!isLate) return;
  const missed = {
    key: 'RUN_INTERRUPTED/missed',
    title: `No run since ${formatDate(before.runDate, run.runDate)}`,
  };
  await recordTold(run.warehouse, missed, run.runDate);
}

/** A run that starts later than this after the one before has missed one in between. */
const startsWithin = { minutes: 10 };

const hasChannel = ({ config, postAlert }: AppContext) => config.alerts.to.length > 0 || postAlert !== null;

/** Sends the error that ended a run. It doesn't use the database, which may be down. Resolves to whether anybody got it. */
export async function sendErrorAlert(app: AppContext, error: unknown, signal: AbortSignal): Promise<boolean> {
  const alert = alertOfError(error, app);
  if (alert === null || !hasChannel(app) || signal.aborted) return false;
  try {
    return await sendAlert(app, [alert], [], signal);
  } catch (failed) {
    // The error that ended the run matters more: it is reported next.
    app.log.error(`no alert could be sent: ${(failed as Error).message}`);
    return false;
  }
}

/** Null for an interruption, or if another run is running. */
function alertOfError(error: unknown, { clock, config }: AppContext): ActiveAlert | null {
  const { failure } = endingOf(error);
  if (failure === null || failure.code === 'RUN_IN_PROGRESS') return null;
  const concern = runConcern({ code: failure.code, detail: failure.message });
  return diagnoseOne(concern, clock(), config.planning.timeZone);
}

/** What the watchdog shows after a run: its active alerts, or the error that ended it. */
export async function diagnosisText(app: AppContext, error: unknown = null): Promise<string> {
  const alert = error === null ? null : alertOfError(error, app);
  try {
    const alerts = alert === null ? (await readState(app.warehouse, app)).alerts : [alert];
    return textOf(compose(app, alerts.filter(needsAction), []));
  } catch (failed) {
    return app.redact((failed as Error).message);
  }
}

const textOf = ({ subject, text }: AlertMessage) => `${subject}\n\n${text}`;

function compose(
  { config, redactOwn }: AppContext,
  alerts: readonly ActiveAlert[],
  resolved: readonly string[],
): AlertMessage {
  const redacted = alerts.map((alert) => ({
    ...alert,
    brief: redactOwn(alert.brief),
    title: redactOwn(alert.title),
    explanation: redactOwn(alert.explanation),
  }));
  return composeAlert(
    redacted,
    resolved.map((title) => redactOwn(title)),
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
