import { html } from 'hono/html';
import type { ActiveAlert, AlertStep } from '../../model/alert.ts';
import type { DigestMessage } from '../../model/digest.ts';
import { asTyped } from '../../support/commands.ts';
import { box, gap, mailDocument, style } from './document.ts';

/**
 * Puts active alerts into a mail for the operator: what happened, why, and what to do.
 *
 * @param resolved titles of alerts that earlier mails reported and that are over
 */
export function composeAlert(
  alerts: readonly ActiveAlert[],
  resolved: readonly string[] = [],
): Pick<DigestMessage, 'subject' | 'text' | 'html'> {
  const [first, ...others] = alerts.map(({ title }) => title);
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const introduction =
    others.length > 0 ? `${alerts.length} things need your attention.` : 'Something needs your attention.';
  const over =
    resolved.length === 0
      ? []
      : [`Resolved since the last alert:\n${resolved.map((each) => `  ${each}`).join('\n')}`];
  return {
    subject: `Callsheet needs you: ${shortened(first!)}${more}`,
    text: `${[introduction, ...alerts.map(alertText), ...over, closing()].join('\n\n')}\n`,
    html: mailDocument(
      'en',
      'Callsheet needs you',
      '',
      html`<p class="quiet" style="${style.name}">Callsheet</p>
<h1 class="ink" style="${style.date}">${introduction}</h1>
${alerts.map(alertHtml)}
${resolved.length === 0 ? '' : resolvedHtml(resolved)}
${gap(28)}
${box('line quiet', style.closing, closing())}`,
    ),
  };
}

const closing = () => `The whole status: ${asTyped('status')}`;

const shortened = (line: string) => (line.length > 120 ? `${line.slice(0, 119)}…` : line);

const since = ({ since: runDate }: ActiveAlert) =>
  runDate === null ? '' : `Since the night of ${runDate}. `;

function alertText(alert: ActiveAlert): string {
  return [alert.title, `  ${since(alert)}${alert.cause}`, ...alert.steps.map(stepText)].join('\n');
}

const stepText = ({ text, command }: AlertStep) =>
  command === null ? `  To do:  ${text}.` : `  ${text}:  ${asTyped(...command)}`;

function alertHtml(alert: ActiveAlert) {
  return html`<h2 class="ink" style="${style.heading};overflow-wrap:anywhere">${withWholeDays(alert.title)}</h2>
<p class="ink" style="${style.cause}"><strong>${since(alert)}</strong>${withWholeDays(alert.cause)}</p>
${alert.steps.map(stepHtml)}`;
}

/** Keeps each date on one line. */
const withWholeDays = (text: string) =>
  text
    .split(/(\d{4}-\d\d-\d\d)/)
    .map((part, index) => (index % 2 === 0 ? part : html`<span style="white-space:nowrap">${part}</span>`));

function stepHtml({ text, command }: AlertStep) {
  if (command === null) return html`<p class="quiet" style="${style.step}">${text}.</p>`;
  return html`<p class="quiet" style="${style.step}">${text}:</p>
${gap(8)}${box('tile ink', style.command, asTyped(...command))}`;
}

const resolvedHtml = (
  resolved: readonly string[],
) => html`<h2 class="ink" style="${style.heading}">Resolved since the last alert</h2>
${resolved.map((each) => html`<p class="quiet" style="${style.cause}">${each}</p>`)}`;
