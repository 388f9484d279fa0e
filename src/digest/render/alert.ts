import { html } from 'hono/html';
import { type ActiveAlert, type AlertStep, countedHits, hitLine, toDoLine } from '../../model/alert.ts';
import type { DigestMessage } from '../../model/digest.ts';
import { asTyped } from '../../support/commands.ts';
import { box, gap, mailDocument, style } from './document.ts';

/** What an operator gets, by mail with its HTML, by webhook and watchdog as text. */
export type AlertMessage = Pick<DigestMessage, 'subject' | 'text' | 'html'>;

type Place = {
  /** The name of this installation. */
  readonly installation: string;
  /** The operator's page; null if its address isn't known. */
  readonly pageUrl: string | null;
};

/** More of them are counted. */
const resolvedShown = 20;

/**
 * Composes the active alerts, or *all clear* if there are none.
 *
 * @param resolved titles of alerts that earlier messages reported and that are over
 */
export function composeAlert(
  alerts: readonly ActiveAlert[],
  resolved: readonly string[],
  place: Place,
): AlertMessage {
  const headline = alerts.length === 0 ? 'All clear' : `${alerts.length} to do`;
  const subject = alerts.length === 0 ? 'all clear' : toDoLine(alerts.map(({ brief }) => brief));
  const over = [
    ...resolved.slice(0, resolvedShown),
    ...(resolved.length > resolvedShown ? [`and ${resolved.length - resolvedShown} more`] : []),
  ];
  const clear = alerts.length === 0 ? ['Nothing to do.'] : [];
  return {
    subject: shortened(`[callsheet ${place.installation}] ${subject}`),
    text: `${[
      ...clear,
      ...alerts.map(alertText),
      ...(over.length === 0 ? [] : [['Resolved:', ...over.map((each) => `  ${each}`)].join('\n')]),
      closing(place),
    ].join('\n\n')}\n`,
    html: mailDocument(
      'en',
      `Callsheet ${place.installation}: ${headline.toLowerCase()}`,
      subject,
      html`<p class="quiet" style="${style.name}">Callsheet ${place.installation}</p>
<h1 class="ink" style="${style.date}">${headline}</h1>
${clear.map((line) => html`<p class="ink" style="${style.headline}">${line}</p>`)}
${alerts.map(alertHtml)}
${over.length === 0 ? '' : resolvedHtml(over)}
${gap(28)}
${box('line quiet', style.closing, closingHtml(place))}`,
    ),
  };
}

const closing = ({ pageUrl }: Place) => `Everything else: ${pageUrl ?? asTyped('status')}`;

const closingHtml = (place: Place) =>
  place.pageUrl === null
    ? closing(place)
    : html`Everything else: <a class="quiet" style="color:#566070" href="${place.pageUrl}">${place.pageUrl}</a>`;

const shortened = (line: string) => (line.length > 150 ? `${line.slice(0, 149)}…` : line);

function alertText(alert: ActiveAlert): string {
  return [
    alert.title,
    `  ${alert.explanation}`,
    ...countedHits(alert).map((hit) => `  ${hitLine(hit)}`),
    ...alert.steps.map(stepText),
  ].join('\n');
}

const stepText = ({ text, command }: AlertStep) =>
  command === null ? `  To do:  ${text}.` : `  ${text}:  ${asTyped(...command)}`;

function alertHtml(alert: ActiveAlert) {
  return html`<h2 class="ink" style="${style.heading};overflow-wrap:anywhere">${withWholeDays(alert.title)}</h2>
<p class="ink" style="${style.cause}">${withWholeDays(alert.explanation)}</p>
${countedHits(alert).map((hit) => html`<p class="quiet" style="${style.hit}">${withWholeDays(hitLine(hit))}</p>`)}
${alert.steps.map(stepHtml)}`;
}

/** Keeps each date on one line. */
const withWholeDays = (text: string) =>
  text
    .split(/(\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b(?: \d{4}\b)?)/)
    .map((part, index) => (index % 2 === 0 ? part : html`<span style="white-space:nowrap">${part}</span>`));

function stepHtml({ text, command }: AlertStep) {
  if (command === null) return html`<p class="quiet" style="${style.step}">${text}.</p>`;
  return html`<p class="quiet" style="${style.step}">${text}:</p>
${gap(8)}${box('tile ink', style.command, asTyped(...command))}`;
}

const resolvedHtml = (
  resolved: readonly string[],
) => html`<h2 class="ink" style="${style.heading}">Resolved</h2>
${resolved.map((each) => html`<p class="quiet" style="${style.hit}">${each}</p>`)}`;
