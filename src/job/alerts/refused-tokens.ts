import { activeAlerts } from './active-alerts.ts';
import { type AlertRun, mailAlerts } from './send-alerts.ts';

/**
 * Mails `ALERT_TO` the refused tokens of a run that goes on, once: the sooner somebody replaces one, the sooner the run
 * heals. All other alerts are sent when the run is over. If the mail can't be sent, the next attempt sends it.
 */
export async function alertRefusedTokens(run: AlertRun): Promise<void> {
  const { config, stats } = run;
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
  await mailAlerts(run, alerts, [], false);
}
