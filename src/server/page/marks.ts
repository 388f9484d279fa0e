import { html } from 'hono/html';
import { formatCountOf } from '../../support/english.ts';
import type { CoveredDay } from '../../warehouse/queries/coverage.ts';
import { formatDay } from './elements.ts';

const flags = ['held', 'restated', 'settling'] as const;

const meanings = {
  loaded: 'confirmed: nothing speaks against the figures',
  provisional: 'loaded, and not confirmed yet: each night fetches it again',
  failed: 'attempted, and never loaded',
  missing: 'not attempted yet',
  held: 'a newer response is held, because something speaks against it',
  restated: 'the service reported other counts after the day was finished',
  settling: 'recent: not yet the same on two run dates',
} as const satisfies Record<CoveredDay['state'] | (typeof flags)[number], string>;

type Mark = keyof typeof meanings;

/** The state and the flags of a day. They are also its CSS classes in the calendar. */
export const marksOf = (day: CoveredDay): Mark[] => [day.state, ...flags.filter((flag) => day[flag])];

/** The marks that occur in the calendars, besides that of a day as it should be. */
export function legend(days: readonly CoveredDay[]) {
  const present = new Set(days.flatMap(marksOf));
  const marks = (Object.keys(meanings) as Mark[]).filter((mark) => mark !== 'loaded' && present.has(mark));
  return html`<dl class="legend">${marks.map(legendItem)}</dl>`;
}

function legendItem(mark: Mark) {
  const classes = flags.some((flag) => flag === mark) ? `loaded ${mark}` : mark;
  return html`<div><dt><span class="mark ${classes}" aria-hidden="true"></span>${mark}</dt><dd>${meanings[mark]}</dd></div>
`;
}

/** The day in one line: its marks and counts, and the reason of a mark that has one. */
export function describeDay(day: CoveredDay): string {
  const facts: string[] = marksOf(day);
  if (day.campaigns !== null) facts.push(formatCountOf(day.campaigns, 'campaign'));
  if (day.attempts !== null) facts.push(formatCountOf(day.attempts, 'attempt'));
  const reason = day.reason === null ? '' : `: ${day.reason}`;
  return `${formatDay(day.day)}: ${facts.join(', ')}${reason}`;
}
