import { html } from 'hono/html';
import { suggestionsFor, toResend, toSend } from '../../job/alerts/suggested-commands.ts';
import { commandLine } from '../../support/commands.ts';
import { formatCountOf } from '../../support/english.ts';
import type { QuarantinedGroup } from '../../warehouse/queries/quarantine.ts';
import type { UnsentStatus } from '../../warehouse/queries/status.ts';
import { formatDay, formatInstant, instantOf } from './format.ts';
import type { Overview, PageTime } from './overview.ts';
import { waits } from './status-line.ts';

/** A command to type, as it is called in the image. */
export function typed(command: string) {
  // Where it's too long for a line it breaks between words, not at the hyphens of a day.
  const words = `callsheet ${command}`.split(' ').map((word) => html`<span>${word}</span> `);
  return html`<code class="command">${words}</code>`;
}

/** What somebody has to do about the accounts; nothing where nobody has to. */
export function suggestionList(overview: Overview) {
  const found = overview.accounts
    .filter((account) => !(waits(account, overview) && account.held.length + account.suspicious.length === 0))
    .flatMap(suggestionsFor);
  if (found.length === 0) return '';
  return html`<section><h2>To do</h2><ul class="list">${found.map(
    ({
      message,
      command,
    }) => html`<li><span>${message}${command === null ? '' : ':'}</span> ${command === null ? '' : typed(command)}</li>
`,
  )}</ul></section>`;
}

/** Mail that hasn't arrived for all that is known. */
export function unsentList(unsent: readonly UnsentStatus[]) {
  if (unsent.length === 0) return html`<p class="quiet">All mail is delivered.</p>`;
  return html`<ul class="list">${unsent.map(
    (
      mail,
    ) => html`<li><span class="badge is-${mail.state}">${mail.state}</span> <strong>${mail.digest}, ${formatDay(mail.day)}</strong> to ${mail.recipient}
${mail.reply === null ? '' : html`<span class="quiet">${mail.reply}</span>`} ${mendMail(mail)}</li>
`,
  )}</ul>`;
}

function mendMail({ digest, day, state }: UnsentStatus) {
  if (state === 'sending') return html`<span class="quiet">On its way.</span>`;
  if (state === 'refused' || state === 'unknown')
    return html`<span>To send it again:</span> ${typed(commandLine(...toResend(digest, day)))}`;
  return html`<span>The next run tries again; or now:</span> ${typed(commandLine(...toSend(digest, day)))}`;
}

/** Records of the last seven days that couldn't be read. */
export function quarantineList(groups: readonly QuarantinedGroup[], { timeZone }: PageTime) {
  if (groups.length === 0)
    return html`<p class="quiet">No record of the last seven days is in quarantine.</p>`;
  return html`<ul class="list">${groups.map(
    (
      group,
    ) => html`<li><strong>${group.account}${group.day === null ? '' : `, ${formatDay(group.day)}`}</strong> ${formatCountOf(group.records, 'record')} of ${group.operation}: ${group.reason}
<span class="quiet">last ${formatInstant(instantOf(group.latestAt), timeZone)}</span>
<code class="payload">${group.example}</code></li>
`,
  )}</ul>`;
}
