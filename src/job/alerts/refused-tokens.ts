import { markAlerted, recordAlerts, unalerted } from '../../warehouse/outbox/alerts.ts';
import { activeAlerts } from './active-alerts.ts';
import { type AlertRun, sendAlert } from './send-alerts.ts';

/**
 * Mails `ALERT_TO` the refused tokens of a run that goes on, once: the sooner somebody replaces one, the sooner the run
 * heals. All other alerts are sent when the run is over. If the mail can't be sent, the next attempt sends it.
 */
export async function alertRefusedTokens(run: AlertRun): Promise<void> {
  const { warehouse, config, runDate, stats } = run;
  if (config.mail.alertTo.length === 0) return;
  const failures = stats.failures.filter(({ code }) => code === 'TOKEN_REFUSED');
  const alerts = activeAlerts({
    failures,
    walks: new Map(),
    held: [],
    suspicious: [],
    deliveries: [],
    incomplete: [],
  });
  const keys = alerts.map(({ key }) => key);
  const activeSince = await recordAlerts(warehouse, keys, runDate, false);
  const unsent = await unalerted(warehouse, keys, runDate);
  if (unsent.length === 0) return;
  const sinceAlerts = alerts
    .filter(({ key }) => unsent.includes(key))
    .map((alert) => {
      const since = activeSince.get(alert.key)!;
      return { ...alert, sinceRunDate: since < runDate ? since : null };
    });
  if (!(await sendAlert(run, sinceAlerts, run.signal))) return;
  stats.alerts.sent++;
  await markAlerted(warehouse, unsent, [], runDate);
}
