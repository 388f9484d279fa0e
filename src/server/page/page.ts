import { html } from 'hono/html';
import type { Failure } from '../../model/failure.ts';
import { formatDuration } from '../../support/english.ts';
import { calendars } from './calendar.ts';
import { asSentence, formatInstant } from './format.ts';
import { quarantineList, suggestionList, unsentList } from './lists.ts';
import type { Overview, PageTime } from './overview.ts';
import { runList } from './runs.ts';
import { type StatusLine, statusLine } from './status-line.ts';

type Content = ReturnType<typeof html>;

const marks = { good: '✓', attention: '!', bad: '✕' } as const;

/** The operator's page: the state of everything in one sentence, and below it what that rests on. */
export async function overviewPage(overview: Overview): Promise<string> {
  const status = statusLine(overview);
  return await layout(
    status.sentence,
    overview,
    html`${headline(status, overview)}
${suggestionList(overview)}
<section><h2>Coverage</h2>${overview.accounts.length === 0 ? html`<p class="quiet">No account yet.</p>` : calendars(overview)}</section>
<section><h2>Last runs</h2>${runList(overview.runs, overview)}</section>
<section><h2>Mail</h2>${unsentList(overview.unsent)}</section>
<section><h2>Quarantine</h2>${quarantineList(overview.quarantine, overview)}</section>`,
  );
}

/** What the page says when the warehouse can't be read. */
export async function unavailablePage(failure: Failure, time: PageTime): Promise<string> {
  const sentence = 'The warehouse can’t be read.';
  return await layout(
    sentence,
    time,
    html`${headline({ tone: 'bad', sentence }, time)}
<section><h2>Why</h2><p>${asSentence(failure.message)}</p></section>
<section><h2>To do</h2><p>${asSentence(failure.advice)}</p></section>`,
  );
}

function headline({ tone, sentence }: StatusLine, { nextRun, now, timeZone }: PageTime) {
  const next =
    nextRun === null
      ? 'No run is scheduled.'
      : `Next run ${formatInstant(nextRun, timeZone)}, in ${formatDuration(nextRun.epochMilliseconds - now.epochMilliseconds)}.`;
  return html`<section class="state ${tone}"><span class="sign" aria-hidden="true">${marks[tone]}</span>
<div><h1>${sentence}</h1><p>${next}</p></div></section>`;
}

/** The frame of every page; it loads its style sheet and icon, and nothing else. */
export async function layout(
  title: string,
  { now, timeZone }: PageTime,
  content: Content | Promise<Content>,
): Promise<string> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Callsheet</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="/icon.svg">
</head>
<body>
<header><a href="/">Callsheet</a></header>
<main>
${content}
</main>
<footer><p>As of ${formatInstant(now, timeZone)}, times in ${timeZone}. Commands are as in the image; from a clone, <code>npm start --</code> stands for <code>callsheet</code>.</p></footer>
</body>
</html>
`;
  return (await page).toString();
}
