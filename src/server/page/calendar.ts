import { html } from 'hono/html';
import type { AccountStatus } from '../../job/alerts/account-status.ts';
import { needsAction } from '../../model/alert.ts';
import { addDays, type Day, daysBetween } from '../../model/day.ts';
import { formatCountOf } from '../../support/english.ts';
import type { CoveredDay } from '../../warehouse/queries/coverage.ts';
import type { PerformedDay } from '../../warehouse/queries/performance.ts';
import { formatDay, quiet } from './elements.ts';
import { describeDay, legend, marksOf } from './marks.ts';
import { type Overview, weeksShown } from './overview.ts';
import { strip } from './strip.ts';

/** `account 2` comes before `account 10`. */
const labels = new Intl.Collator('en', { numeric: true });

/** With more accounts than this, calendars are folded, unless a few need attention. */
const maxOpen = 12;

/**
 * A calendar of thirteen weeks for each account. Accounts of alerts come first, then those whose newest day is low.
 * If most need attention, the alert says what they have in common.
 */
export function calendars(overview: Overview) {
  const { accounts, coverage, from } = overview;
  if (accounts.length === 0) return quiet('No account yet.');
  const grid = daysBetween(from, addDays(from, 7 * weeksShown - 1));
  const daysByAccount = Map.groupBy(coverage, (day) => day.account);
  const performed = Map.groupBy(overview.performance, (day) => day.account);
  const sorted = accounts.toSorted((one, other) => labels.compare(one.label, other.label));
  const performedBy = (account: string) => performed.get(account) ?? [];
  const urgent = new Set(overview.alerts.filter(needsAction).flatMap((alert) => alert.accounts));
  const watched = new Set([
    ...urgent,
    ...sorted.map(({ account }) => account).filter((account) => isLow(performedBy(account).at(-1))),
  ]);
  const byName = new Map(sorted.map((account) => [account.account, account]));
  const first = [...watched].flatMap((name) => byName.get(name) ?? []);
  const others = sorted.filter(({ account }) => !watched.has(account));
  const calendar = (account: AccountStatus, open: boolean) => {
    const days = performedBy(account.account);
    return html`<details class="calendar${urgent.has(account.account) ? ' urgent' : ''}" data-key="calendar ${account.account}" ${open ? 'open' : ''}>
<summary><span class="name">${account.label}</span> <span class="quiet">${describeAccount(account, days.at(-1))}</span></summary>
${attemptsStrip(account.label, days)}
${table(account.label, grid, daysByAccount.get(account.account) ?? [])}
</details>
`;
  };
  const all = [...first, ...others];
  const shown = all.length <= maxOpen ? all : first.length <= maxOpen ? first : [];
  const folded = all.slice(shown.length);
  return html`<div class="calendars">${shown.map((account) => calendar(account, true))}</div>
${folded.length === 0 ? '' : html`<details class="folded" data-key="accounts"><summary>${formatCountOf(folded.length, shown.length === 0 ? 'account' : 'other account')}</summary><div class="calendars">${folded.map((account) => calendar(account, false))}</div></details>`}
${legend(coverage)}`;
}

/** Far fewer attempts than on a typical weekday. */
const isLow = (day: PerformedDay | undefined) => Number(day?.attemptsChange ?? 0) <= -0.4;

/** `Thu 19 Nov: 12,480 attempts, −18% vs a typical Thu`, then what isn't as it should be. */
function describeAccount({ gaps, walk }: AccountStatus, newest: PerformedDay | undefined): string {
  const list =
    walk.completeRunDate === null ? 'never walked completely' : `as of ${formatDay(walk.completeRunDate)}`;
  return [
    newest === undefined ? 'nothing loaded yet' : describePerformed(newest),
    ...(gaps.length === 0 ? [] : [`${formatCountOf(gaps.length, 'day')} to load`]),
    ...(walk.verdict === null || walk.verdict === 'complete' ? [] : [`clients ${list}`]),
  ].join(' · ');
}

function describePerformed({ day, attempts, attemptsChange }: PerformedDay): string {
  const date = formatDay(day);
  if (attempts === null) return `${date}: attempts not reported`;
  const counted = `${date}: ${formatCountOf(attempts, 'attempt')}`;
  if (attemptsChange === null) return counted;
  const percent = Math.round(Number(attemptsChange) * 100);
  const sign = percent < 0 ? '−' : '+';
  const change = percent === 0 ? 'no change' : `${sign}${Math.abs(percent)}%`;
  return `${counted}, ${change} vs a typical ${date.slice(0, 3)}`;
}

/** Four weeks of attempts, with a tick at each typical weekday: a silent half of a day stands out. */
function attemptsStrip(label: string, days: readonly PerformedDay[]) {
  if (days.length === 0) return '';
  const bars = days.map((day) => ({
    value: day.attempts === null ? null : Number(day.attempts),
    typical: day.typicalAttempts === null ? null : Number(day.typicalAttempts),
    low: isLow(day),
  }));
  return strip(`${label}: attempts of the last ${days.length} days, each with its typical weekday`, bars);
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
