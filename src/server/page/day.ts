import { html } from 'hono/html';
import { missingRecords, restatements } from './day-changes.ts';
import { figures } from './day-figures.ts';
import { formatDay, layout, type PageTime, quiet } from './elements.ts';
import { alertList } from './lists.ts';
import { legend, marksOf } from './marks.ts';
import type { DayDetails } from './read-day.ts';

/** One day of one account: its counts, its marks, the alerts about it, and what is held, restated or missing. */
export async function dayPage(details: DayDetails, time: PageTime): Promise<string> {
  const { covered, alerts, restated, quarantined } = details;
  const title = `${covered.label}, ${formatDay(covered.day)} ${covered.day.slice(0, 4)}`;
  const content = html`<nav aria-label="Breadcrumb"><a href="/">All accounts</a></nav>
<section><h1>${title}</h1>
${covered.label === covered.account ? '' : quiet(`Account ${covered.account}`)}
${legend(marksOf(covered))}
${covered.failure === null ? '' : html`<p class="failure">The last attempt failed: ${covered.failure}</p>`}
${alerts.length === 0 ? quiet('Nothing to do.') : ''}</section>
${alertList(alerts)}
${figures(details, time)}
${missingRecords(quarantined, time)}
${restatements(restated, time)}`;
  return await layout(title, time, content);
}
