import { html } from 'hono/html';
import type { ActiveAlert } from '../../model/alert.ts';
import type { CountName } from '../../model/records.ts';
import { formatCount, formatCountOf } from '../../support/english.ts';
import type { CoveredDay } from '../../warehouse/queries/coverage.ts';
import { factList, formatDay, formatInstant, layout, type PageTime, quiet } from './elements.ts';
import { alertItem } from './lists.ts';

const flags = ['held', 'suspicious', 'restated', 'settling'] as const;

/** What each state and flag means. */
const meanings = {
  loaded: 'complete: the day was over when it was fetched',
  provisional: 'fetched before the day was over: the next run syncs it again',
  failed: 'attempted, and never loaded',
  missing: 'not attempted yet',
  held: 'a newer response is held, for it would take most of the day away',
  suspicious: 'no calls on a weekday that usually has some, or a response that may be wrong',
  restated: 'the service reported other counts after the day was finished',
  settling: 'the counts have not yet been the same on two run dates, and a later run syncs it again',
} as const satisfies Record<CoveredDay['state'] | (typeof flags)[number], string>;

type Mark = keyof typeof meanings;

/** The state of a day, and its flags: they are its classes in the calendar, too. */
export const marksOf = (day: CoveredDay): Mark[] => [day.state, ...flags.filter((flag) => day[flag])];

/** Explains marks: all of them, or those of a day. */
export function legend(marks = Object.keys(meanings) as Mark[]) {
  return html`<dl class="legend">${marks.map(legendItem)}</dl>`;
}

function legendItem(mark: Mark) {
  const classes = flags.some((flag) => flag === mark) ? `loaded ${mark}` : mark;
  return html`<div><dt><span class="mark ${classes}" aria-hidden="true"></span>${mark}</dt><dd>${meanings[mark]}</dd></div>
`;
}

/** The day in one line: its marks and counts. */
export function describeDay(day: CoveredDay): string {
  const facts: string[] = marksOf(day);
  if (day.campaigns !== null) facts.push(formatCountOf(day.campaigns, 'campaign'));
  if (day.attempts !== null) facts.push(formatCountOf(day.attempts, 'attempt'));
  return `${formatDay(day.day)}: ${facts.join(', ')}`;
}

export const dayPath = ({ account, day }: CoveredDay): string =>
  `/days/${day}/${encodeURIComponent(account)}`;

/** One day of one account: its counts, its marks, and the alerts about it. */
export async function dayPage(
  day: CoveredDay,
  alerts: readonly ActiveAlert[],
  time: PageTime,
): Promise<string> {
  const title = `${day.account}, ${formatDay(day.day)} ${day.day.slice(0, 4)}`;
  const content = html`<section><h1>${title}</h1>
${legend(marksOf(day))}
${alertsOf(day, alerts)}
${day.failure === null ? '' : html`<p class="failure">The last attempt failed: ${day.failure}</p>`}</section>
<section><h2>Counts</h2>${countList(day, time)}</section>
<p><a href="/">Back to all accounts</a></p>`;
  return await layout(title, time, content);
}

function alertsOf({ account, day }: CoveredDay, alerts: readonly ActiveAlert[]) {
  const own = alerts.filter((alert) => alert.account === account && alert.days.includes(day));
  if (own.length === 0) return html`<p>Nothing to do.</p>`;
  return html`<ul class="list">${own.map(alertItem)}</ul>`;
}

function countList(day: CoveredDay, { timeZone }: PageTime) {
  if (day.campaigns === null) return quiet('Not loaded yet.');
  return factList([
    ['campaigns', formatCount(day.campaigns)],
    ['attempts', sumOf(day, 'attempts')],
    ['connects', sumOf(day, 'connects')],
    ['live answers', sumOf(day, 'liveAnswers')],
    ['busies', sumOf(day, 'busies')],
    ['last loaded or confirmed', day.loadedAt === null ? '' : formatInstant(day.loadedAt, timeZone)],
  ]);
}

function sumOf(day: CoveredDay, name: CountName): string {
  const sum = day[name];
  if (sum !== null) return formatCount(sum);
  return day.campaigns === 0 ? '0' : 'not reported by the service';
}
