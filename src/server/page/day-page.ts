import { html } from 'hono/html';
import { formatCount } from '../../support/english.ts';
import type { CoveredDay } from '../../warehouse/queries/coverage.ts';
import { commandFor, flagMeanings, flagsOf, stateMeanings } from './day.ts';
import { formatDay, formatInstant, instantOf } from './format.ts';
import { typed } from './lists.ts';
import type { PageTime } from './overview.ts';
import { layout } from './page.ts';

/** One day of one account: what it holds, what is the matter with it, and the command that mends it. */
export async function dayPage(day: CoveredDay, time: PageTime): Promise<string> {
  const title = `${day.account}, ${formatDay(day.day)} ${day.day.slice(0, 4)}`;
  const command = commandFor(day);
  const marks = [
    [day.state, day.state, stateMeanings[day.state]],
    ...flagsOf(day).map((flag) => [flag, `loaded ${flag}`, flagMeanings[flag]]),
  ];
  return await layout(
    title,
    time,
    html`<section><h1>${title}</h1>
<dl class="legend">${marks.map(
      ([name, look, means]) =>
        html`<div><dt><span class="mark ${look!}" aria-hidden="true"></span>${name}</dt><dd>${means}</dd></div>`,
    )}</dl>
${command === null ? html`<p>Nothing has to be mended.</p>` : html`<p>${day.held ? 'To apply the response that is held:' : 'To load it now:'} ${typed(command)}</p>`}
${day.failure === null ? '' : html`<p class="failure">The last try failed: ${day.failure}</p>`}</section>
<section><h2>What it holds</h2>${holds(day, time)}</section>
<p><a href="/">Back to all accounts</a></p>`,
  );
}

function holds(day: CoveredDay, { timeZone }: PageTime) {
  if (day.campaigns === null) return html`<p class="quiet">Nothing of it was loaded yet.</p>`;
  const facts: [string, string][] = [
    ['campaigns', formatCount(day.campaigns)],
    ['attempts', formatCount(day.attempts ?? 0)],
    ['connects', formatCount(day.connects ?? 0)],
    ['live answers', formatCount(day.liveAnswers ?? 0)],
    ['busies', formatCount(day.busies ?? 0)],
  ];
  const seen = day.loadedAt === null ? '' : formatInstant(instantOf(day.loadedAt), timeZone);
  return html`<dl class="facts">${[...facts, ['last seen the same or applied', seen] as const].map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}
