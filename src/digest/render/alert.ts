import { html } from 'hono/html';
import type { AlertSince } from '../../model/alert.ts';
import type { DigestMessage } from '../../model/digest.ts';
import { npmCommand } from '../../support/commands.ts';
import { box, mailDocument, style } from './document.ts';

/** Puts active alerts into a mail for the operator: what happened, why, and what to type. */
export function composeAlert(
  alerts: readonly AlertSince[],
): Pick<DigestMessage, 'subject' | 'text' | 'html'> {
  const [first, ...others] = alerts.map(({ what }) => what);
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const introduction =
    others.length > 0 ? `${alerts.length} things need your attention.` : 'Something needs your attention.';
  return {
    subject: `Callsheet needs you: ${shortened(first!)}${more}`,
    text: `${[introduction, ...alerts.map(alertText), closing].join('\n\n')}\n`,
    html: mailDocument(
      'Callsheet needs you',
      '',
      html`<p class="quiet" style="${style.name}">Callsheet</p>
<h1 class="ink" style="${style.date}">${introduction}</h1>
${alerts.map(alertHtml)}
${box('line quiet', style.closing, '28px 0 0', closing)}`,
    ),
  };
}

const closing = `In the image, type callsheet instead of npm start --. The whole status: ${npmCommand('status')}`;

const shortened = (line: string) => (line.length > 120 ? `${line.slice(0, 119)}…` : line);

const since = ({ sinceRunDate }: AlertSince) =>
  sinceRunDate === null ? '' : `Since the night of ${sinceRunDate}. `;

function alertText(alert: AlertSince): string {
  return [alert.what, `  ${since(alert)}${alert.cause}`, `  To type:  ${alert.command}`].join('\n');
}

function alertHtml(alert: AlertSince) {
  return html`<h2 class="ink" style="${style.heading};overflow-wrap:anywhere">${alert.what}</h2>
<p class="ink" style="${style.cause}"><strong>${since(alert)}</strong>${alert.cause}</p>
${box('tile ink', style.command, '8px 0 0', alert.command)}`;
}
