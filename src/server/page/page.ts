import { html } from 'hono/html';
import type { Failure } from '../../model/errors.ts';
import { formatDuration } from '../../support/english.ts';
import { alertList } from './alerts.ts';
import { calendar } from './calendar.ts';
import { asSentence, commandBlock, formatInstant, layout, type PageTime } from './elements.ts';
import type { Besides, Overview } from './overview.ts';
import { runList } from './runs.ts';
import { describeDigests, type StatusLine, statusLine } from './status-line.ts';

/** The operator's page: the state of everything in one sentence, with the details below. */
export async function overviewPage(overview: Overview): Promise<string> {
  const status = statusLine(overview);
  const content = html`${headline(status, overview)}
${alertList(overview.alerts)}
<section><h2>Days</h2>${calendar(overview)}</section>
<section><h2>Last runs</h2>${runList(overview)}</section>`;
  return await layout(status.sentence, overview, content);
}

/** The page that is shown if the state of days and alerts can't be read in time. */
export async function partialPage(besides: Besides): Promise<string> {
  const sentence = 'Days and alerts can’t be read in time.';
  const also = `The database took longer than this page waits for it: it is busy, or slow. ${asSentence(describeDigests(besides.digests, besides.timeZone))}`;
  const content = html`${headline({ tone: 'attention', sentence, also }, besides)}
<section><h2>To do</h2><p>Load the page again, or type ${commandBlock(['status'])}, which waits longer.</p></section>
<section><h2>Last runs</h2>${runList({ ...besides, accounts: [] })}</section>`;
  return await layout(sentence, besides, content);
}

/** The page that is shown while the warehouse can't be read. */
export async function unavailablePage(failure: Failure, time: PageTime): Promise<string> {
  const sentence = 'The warehouse can’t be read.';
  const content = html`${headline({ tone: 'bad', sentence, also: asSentence(failure.message) }, time)}
<section><h2>To do</h2><p>${asSentence(failure.advice)}</p></section>`;
  return await layout(sentence, time, content);
}

const marks = { good: '✓', attention: '!', bad: '✕' } as const;

function headline({ tone, sentence, also }: StatusLine, time: PageTime) {
  return html`<section class="status ${tone}"><span class="status-mark" aria-hidden="true">${marks[tone]}</span>
<div><h1>${withDays(sentence)}</h1><p>${also} ${describeNextRun(time)}</p></div></section>`;
}

/** Keeps each date on one line. */
const withDays = (text: string) =>
  text
    .split(/(\b\d{1,2} [A-Z][a-z]{2}\b)/)
    .map((part, index) => (index % 2 === 0 ? part : html`<span>${part}</span>`));

function describeNextRun({ nextRun, unscheduled = 'No run is scheduled.', now, timeZone }: PageTime): string {
  if (nextRun === null) return unscheduled;
  const wait = formatDuration(nextRun.epochMilliseconds - now.epochMilliseconds);
  return `Next run ${formatInstant(nextRun, timeZone)} ${timeZone}, in ${wait}.`;
}
