import { html } from 'hono/html';
import { needsAction } from '../../model/alert.ts';
import { addDays, type Day, daysBetween } from '../../model/day.ts';
import { formatCountOf } from '../../support/english.ts';
import type { CoveredDay } from '../../warehouse/queries/coverage.ts';
import type { PerformedDay } from '../../warehouse/queries/performance.ts';
import type { AccountStatus } from '../../warehouse/queries/status.ts';
import { formatDay, quiet } from './elements.ts';
import { describeDay, legend, marksOf } from './marks.ts';
import { type Overview, weeksShown } from './overview.ts';
import { strip } from './strip.ts';

/** `account 2` comes before `account 10`. */
const labels = new Intl.Collator('en', { numeric: true });

/** With more accounts than this, only the calendars that need attention are open. */
const maxOpen = 12;

/** A calendar of thirteen weeks for each account. Accounts that need attention come first. */
export function calendars(overview: Overview) {
  const { accounts, coverage, from } = overview;
  if (accounts.length === 0) return quiet('No account yet.');
  const grid = daysBetween(from, addDays(from, 7 * weeksShown - 1));
  const daysByAccount = Map.groupBy(coverage, (day) => day.account);
  const performed = Map.groupBy(overview.performance, (day) => day.account);
  const sorted = accounts.toSorted((one, other) => labels.compare(one.label, other.label));
  const urgent = accountsToMend(overview).flatMap((name) => sorted.filter(({ account }) => account === name));
  const others = sorted.filter((account) => !urgent.includes(account));
  const items = [...urgent, ...others].map((account, index) => {
    const isUrgent = index < urgent.length;
    const days = performed.get(account.account) ?? [];
    const open = isUrgent || sorted.length <= maxOpen ? 'open' : '';
    return html`<details class="calendar${isUrgent ? ' urgent' : ''}" data-key="calendar ${account.account}" ${open}>
<summary><span class="name">${account.label}</span> <span class="quiet">${describeAttempts(days)}${describeCoverage(account)}${describeWalk(account)}</span></summary>
${attemptsStrip(account.label, days)}
${table(account.label, grid, daysByAccount.get(account.account) ?? [])}
</details>
`;
  });
  return html`<div class="calendars">${items}</div>
${legend(coverage)}`;
}

/** Names of the accounts that alerts are about, in the order of the alerts: the gravest first. */
const accountsToMend = ({ alerts }: Overview) => [
  ...new Set(alerts.filter(needsAction).flatMap(({ accounts }) => accounts)),
];

/** `12,480 attempts on Thu 19 Nov (−18%) · `: the newest day, and how it differs from its typical weekday. */
function describeAttempts(days: readonly PerformedDay[]): string {
  const newest = days.at(-1);
  return newest === undefined || newest.attempts === null ? '' : `${describePerformed(newest)} · `;
}

function describePerformed({ day, attempts, attemptsChange }: PerformedDay): string {
  const change = attemptsChange === null ? '' : ` (${formatChange(Number(attemptsChange))})`;
  const counted = attempts === null ? 'attempts not reported' : formatCountOf(attempts, 'attempt');
  return `${counted} on ${formatDay(day)}${change}`;
}

const formatChange = (change: number) =>
  `${change < 0 ? '−' : '+'}${Math.abs(Math.round(change * 100))}% against a typical one`;

/** Four weeks of attempts, with a tick at each typical weekday: a silent half of a day stands out. */
function attemptsStrip(label: string, days: readonly PerformedDay[]) {
  if (days.length === 0) return '';
  const bars = days.map((day) => ({
    value: day.attempts === null ? null : Number(day.attempts),
    typical: day.typicalAttempts === null ? null : Number(day.typicalAttempts),
    low: Number(day.attemptsChange ?? 0) <= -0.4,
  }));
  return strip(`${label}: attempts of the last ${days.length} days, each with its typical weekday`, bars);
}

function describeCoverage({ completeThrough, gaps }: AccountStatus): string {
  const through =
    completeThrough === null ? 'nothing complete yet' : `complete through ${formatDay(completeThrough)}`;
  return gaps.length === 0 ? through : `${through} · ${formatCountOf(gaps.length, 'day')} to load`;
}

/** Describes the last complete walk over the client list; empty before the first walk. */
function describeWalk({ walk }: AccountStatus): string {
  if (walk.verdict === null) return '';
  const last = walk.completeRunDate;
  return last === null ? ' · clients never walked completely' : ` · clients of ${formatDay(last)}`;
}

const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

function table(label: string, grid: readonly Day[], days: readonly CoveredDay[]) {
  const covered = new Map(days.map((day) => [day.day, day]));
  const newest = days.at(-1)?.day;
  const mondays = grid.filter((_, index) => index % 7 === 0);
  const rows = weekdays.map((weekday, row) => {
    const cells = mondays.map((_, week) => cell(covered.get(grid[7 * week + row]!), newest));
    return html`<tr><th scope="row">${weekday}</th>${cells}</tr>\n`;
  });
  return html`<table><caption class="visually-hidden">${label}, day by day</caption>
<thead><tr><td></td>${monthCells(mondays)}</tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** A day's description is shown on hover and focus. The Tab key stops at the newest day of each calendar. */
function cell(day: CoveredDay | undefined, newest: Day | undefined) {
  if (day === undefined) return html`<td></td>`;
  const classes = marksOf(day).join(' ');
  const key = `${day.account} ${day.day}`;
  const stop = day.day === newest ? 0 : -1;
  return html`<td><span class="${classes}" data-key="${key}" tabindex="${stop}" role="img" aria-label="${describeDay(day)}"></span></td>`;
}

/** The name of each month, over the weeks that begin in it. A single week has no room for a name. */
function monthCells(mondays: readonly Day[]) {
  const months = [...Map.groupBy(mondays, (monday) => monday.slice(0, 7))];
  return months.map(([month, { length }]) => {
    const name = length > 1 ? formatDay(`${month}-01`).split(' ')[2]! : '';
    return html`<td colspan="${length}">${name}</td>`;
  });
}
