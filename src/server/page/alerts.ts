import { html } from 'hono/html';
import { type ActiveAlert, countedNames, type Named, namesShown, splitNames } from '../../model/alert.ts';
import { commandBlock } from './elements.ts';

/** The alerts to do, those to check, and the notes. Empty lists are left out. */
export const alertList = (alerts: readonly ActiveAlert[]) =>
  html`${listOf('To do', alerts, 'to do')}${listOf('To check', alerts, 'to check')}${listOf('Notes', alerts, 'note')}`;

function listOf(title: string, alerts: readonly ActiveAlert[], kind: ActiveAlert['kind']) {
  const own = alerts.filter((alert) => alert.kind === kind);
  if (own.length === 0) return '';
  return html`<section><h2>${title}</h2><ul class="list">${own.map(alertItem)}</ul></section>
`;
}

/** One alert: what happened, why, since when, what it hit, what to do, and its chapter of the documents. */
function alertItem(alert: ActiveAlert) {
  const { key, kind, severity, code, title, explanation, steps, dismissed } = alert;
  return html`<li class="alert ${kind === 'note' ? kind : severity}" id="${key}"><strong>${title}</strong> <a class="about" href="operations/${code}">About this</a>
<span class="quiet">${explanation}</span>
${dismissed ? '' : countedNames(alert).map(namesItem)}
${dismissed || steps.length === 0 ? '' : html`<ol class="steps">${steps.map(({ text, command }) => html`<li>${text}${command === null ? '.' : html`: ${commandBlock(command)}`}</li> `)}</ol>`}</li>
`;
}

/** Maximum of further names that are folded; `status --json` has all of them. */
const namesFolded = 500;

function namesItem(named: Named) {
  const { shown, more } = splitNames(named);
  if (more === null) return html`<span class="quiet">${shown}</span>`;
  const folded = named.names.slice(namesShown, namesShown + namesFolded);
  const rest = named.names.length - namesShown - folded.length;
  return html`<details class="quiet"><summary>${shown} <u>${more}</u></summary>
${folded.join(', ')}${rest > 0 ? ` and ${rest} more: status --json lists them` : ''}</details>`;
}
