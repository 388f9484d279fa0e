import { html } from 'hono/html';
import { needsAction } from '../../model/alert.ts';
import { addDays, type Day, daysBetween } from '../../model/day.ts';
import { formatCountOf } from '../../support/english.ts';
import type { CoveredDay } from '../../warehouse/queries/coverage.ts';
import type { AccountStatus } from '../../warehouse/queries/status.ts';
import { formatDay, quiet } from './elements.ts';
import { describeDay, legend, marksOf } from './marks.ts';
import { type Overview, weeksShown } from './overview.ts';

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
  const sorted = accounts.toSorted((one, other) => labels.compare(one.label, other.label));
  const urgent = accountsToMend(overview).flatMap((name) => sorted.filter(({ account }) => account === name));
  const others = sorted.filter((account) => !urgent.includes(account));
  const items = [...urgent, ...others].map((account, index) => {
    const isUrgent = index < urgent.length;
    const open = isUrgent || sorted.length <= maxOpen ? 'open' : '';
    return html`<details class="calendar${isUrgent ? ' urgent' : ''}" data-key="calendar ${account.account}" ${open}>
<summary><span class="name">${account.label}</span> <span class="quiet">${describeCoverage(account)}${describeWalk(account)}</span></summary>
${table(account.label, grid, daysByAccount.get(account.account) ?? [])}
</details>
`;
  });
  return html`<div class="calendars">${items}</div>
${legend()}`;
}

/** Names of the accounts that alerts are about, in the order of the alerts: the gravest first. */
const accountsToMend = ({ alerts }: Overview) => [
  ...new Set(alerts.filter(needsAction).flatMap(({ account }) => account ?? [])),
];

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
