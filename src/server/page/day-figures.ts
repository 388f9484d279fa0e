import { html } from 'hono/html';
import type { Sums } from '../../model/records.ts';
import { formatCount } from '../../support/english.ts';
import { factList, formatInstant, type PageTime, quiet } from './elements.ts';
import type { DayDetails } from './read-day.ts';

/** The counts of the day; where a response is held, beside those that it offers. */
export function figures({ covered, held }: DayDetails, { timeZone }: PageTime) {
  if (covered.campaigns === null) return html`<section><h2>Counts</h2>${quiet('Not loaded yet.')}</section>`;
  const current = { ...covered, campaigns: covered.campaigns };
  const loaded = covered.loadedAt === null ? 'never' : formatInstant(covered.loadedAt, timeZone);
  if (held === null) {
    const gone = 'What the held response offers is no longer archived, or too large to be shown here.';
    return html`<section><h2>Counts</h2>${factList(names.map((name) => [words[name], describe(current, name)]))}
${covered.held ? quiet(gone) : ''}${quiet(`Last loaded or confirmed: ${loaded}.`)}</section>`;
  }
  const because = held.because === null ? '' : html`<p>The response is held: ${held.because}.</p>`;
  const offered = formatInstant(held.fetchedAt, timeZone);
  return html`<section><h2>Counts, current and offered</h2>${because}
<table class="figures"><thead><tr><td></td><th scope="col">current</th><th scope="col">offered</th><th scope="col">change</th></tr></thead>
<tbody>${names.map((name) => comparedRow(name, current, held))}</tbody></table>
${quiet(`Current: last loaded or confirmed ${loaded}. Offered: by the response of ${offered}.`)}</section>`;
}

const words = {
  campaigns: 'campaigns',
  attempts: 'attempts',
  connects: 'connects',
  liveAnswers: 'live answers',
  busies: 'busies',
} as const;

type FigureName = keyof typeof words;
type Figures = Sums & { readonly campaigns: number | string };

const names = Object.keys(words) as FigureName[];

function comparedRow(name: FigureName, current: Figures, offered: Figures) {
  return html`<tr><th scope="row">${words[name]}</th><td>${describe(current, name)}</td><td>${describe(offered, name)}</td><td>${describeChange(current[name], offered[name])}</td></tr>
`;
}

function describe(figures: Figures, name: FigureName): string {
  const figure = figures[name];
  if (figure !== null) return formatCount(figure);
  return Number(figures.campaigns) === 0 ? '0' : 'not reported';
}

function describeChange(from: string | number | null, to: string | number | null): string {
  if (from === null || to === null) return '';
  const change = BigInt(to) - BigInt(from);
  if (change === 0n) return 'none';
  return `${change > 0n ? '+' : '−'}${formatCount(String(change).replace('-', ''))}`;
}
