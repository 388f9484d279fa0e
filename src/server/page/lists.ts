import { html } from 'hono/html';
import { toResend, toSend } from '../../job/alerts/suggested-commands.ts';
import { type Suggestion, suggestionsFor } from '../../job/alerts/suggestions.ts';
import { commandLine } from '../../support/commands.ts';
import { formatCountOf } from '../../support/english.ts';
import type { QuarantinedGroup } from '../../warehouse/queries/quarantine.ts';
import type { UnsentStatus } from '../../warehouse/queries/status.ts';
import { commandBlock, formatDay, formatInstant, type PageTime, quiet } from './elements.ts';
import type { Overview } from './overview.ts';
import { awaitsRun } from './status-line.ts';

/** What to do about the accounts; nothing if there is nothing to do. */
export function suggestionList(overview: Overview) {
  const suggestions = overview.accounts
    .map((account) => (awaitsRun(account, overview) ? { ...account, gaps: [] } : account))
    .flatMap(suggestionsFor);
  if (suggestions.length === 0) return '';
  return html`<section><h2>To do</h2><ul class="list">${suggestions.map(suggestionItem)}</ul></section>`;
}

function suggestionItem({ message, command }: Suggestion) {
  if (command === null) return html`<li><span>${message}</span></li>\n`;
  return html`<li><span>${message}:</span> ${commandBlock(command)}</li>\n`;
}

/** Mail that is not known to have arrived. */
export function unsentList(unsent: readonly UnsentStatus[]) {
  if (unsent.length === 0) return quiet('All mail is delivered.');
  return html`<ul class="list">${unsent.map(unsentItem)}</ul>`;
}

function unsentItem(mail: UnsentStatus) {
  const { digest, day, recipient, state, reply } = mail;
  return html`<li><span class="badge is-${state}">${state}</span> <strong>${digest}, ${formatDay(day)}</strong> to ${recipient}
${reply === null ? '' : html`<span class="quiet">${reply}</span>`} ${howToSend(mail)}</li>
`;
}

function howToSend({ digest, day, state }: UnsentStatus) {
  if (state === 'sending') return html`<span class="quiet">Being sent.</span>`;
  if (state === 'refused' || state === 'unknown')
    return html`<span>To send it again:</span> ${commandBlock(commandLine(...toResend(digest, day)))}`;
  return html`<span>The next run sends it; to send it now:</span> ${commandBlock(commandLine(...toSend(digest, day)))}`;
}

/** Records of the last seven days that couldn't be read. */
export function quarantineList(groups: readonly QuarantinedGroup[], { timeZone }: PageTime) {
  if (groups.length === 0) return quiet('No record of the last seven days is in quarantine.');
  return html`<ul class="list">${groups.map((group) => quarantineItem(group, timeZone))}</ul>`;
}

function quarantineItem(group: QuarantinedGroup, timeZone: string) {
  const source = group.day === null ? group.account : `${group.account}, ${formatDay(group.day)}`;
  const records = formatCountOf(group.records, 'record');
  return html`<li><strong>${source}</strong> ${records} of ${group.operation}: ${group.reason}
<span class="quiet">${timesOf(group, timeZone)}</span>
<code class="payload">${group.example}</code></li>
`;
}

function timesOf({ firstAt, latestAt, runDates }: QuarantinedGroup, timeZone: string): string {
  const last = `last ${formatInstant(latestAt, timeZone)}`;
  if (runDates === 1) return last;
  return `on ${formatCountOf(runDates, 'night')} since ${formatInstant(firstAt, timeZone)}, ${last}`;
}
