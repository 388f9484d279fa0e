import { html } from 'hono/html';
import { addDays, type Day } from '../../model/day.ts';
import { daysBetween } from '../../planning/business-day.ts';
import { formatCountOf } from '../../support/english.ts';
import type { CoveredDay } from '../../warehouse/queries/coverage.ts';
import type { AccountStatus } from '../../warehouse/queries/status.ts';
import { dayAddress, describeDay, flagMeanings, flagsOf, stateMeanings } from './day.ts';
import { formatDay } from './format.ts';
import { type Overview, weeksShown } from './overview.ts';
import { waits } from './status-line.ts';

/** `account 2` comes before `account 10`. */
const names = new Intl.Collator('en', { numeric: true });

/** Beyond so many accounts only those that need somebody are unfolded. */
const unfolded = 12;
const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

/** A calendar of thirteen weeks for each account, those with something to do first. */
export function calendars(overview: Overview) {
  const byAccount = Map.groupBy(overview.coverage, (day) => day.account);
  const grid = daysBetween(overview.from, addDays(overview.from, 7 * weeksShown - 1));
  const sorted = overview.accounts
    .map((account) => ({ account, wanting: isWanting(account, overview) }))
    .sort(
      (one, other) =>
        Number(other.wanting) - Number(one.wanting) ||
        names.compare(one.account.account, other.account.account),
    );
  return html`<div class="calendars">${sorted.map(({ account, wanting }) => {
    const days = new Map((byAccount.get(account.account) ?? []).map((day) => [day.day, day]));
    const open = wanting || sorted.length <= unfolded ? 'open' : '';
    return html`<details class="calendar${wanting ? ' wanting' : ''}" ${open}>
<summary><span class="name">${account.account}</span> <span class="quiet">${howFar(account)}</span></summary>
${table(account.account, grid, days)}
</details>
`;
  })}</div>
${legend()}`;
}

const isWanting = (account: AccountStatus, overview: Overview) =>
  account.held.length > 0 || (account.gaps.length > 0 && !waits(account, overview));

const howFar = ({ completeThrough, gaps }: AccountStatus) =>
  [
    completeThrough === null ? 'nothing complete yet' : `complete through ${formatDay(completeThrough)}`,
    ...(gaps.length === 0 ? [] : [`${formatCountOf(gaps.length, 'day')} to load`]),
  ].join(' · ');

function table(account: string, grid: readonly Day[], days: ReadonlyMap<Day, CoveredDay>) {
  const mondays = grid.filter((_, index) => index % 7 === 0);
  return html`<table><caption class="unseen">${account}, day by day</caption>
<thead><tr><td></td>${months(mondays)}</tr></thead>
<tbody>${weekdays.map(
    (
      weekday,
      index,
    ) => html`<tr><th scope="row">${weekday}</th>${mondays.map((_, week) => cell(days.get(grid[7 * week + index]!)))}</tr>
`,
  )}</tbody></table>`;
}

function cell(day: CoveredDay | undefined) {
  if (day === undefined) return html`<td></td>`;
  const look = [day.state, ...flagsOf(day)].join(' ');
  return html`<td><a class="${look}" href="${dayAddress(day)}" aria-label="${describeDay(day)}"></a></td>`;
}

/** The names of the months over the weeks that begin in them; a month of one week has no room for its name. */
function months(mondays: readonly Day[]) {
  const groups = [...Map.groupBy(mondays, (monday) => monday.slice(0, 7)).entries()];
  return groups.map(([month, { length }]) => {
    const name = length > 1 ? formatDay(`${month}-01`).split(' ')[2]! : '';
    return html`<td colspan="${length}">${name}</td>`;
  });
}

function legend() {
  const states = Object.entries(stateMeanings).map(([name, means]) => [name, name, means]);
  const flags = Object.entries(flagMeanings).map(([name, means]) => [name, `loaded ${name}`, means]);
  return html`<dl class="legend">${[...states, ...flags].map(
    ([name, look, means]) =>
      html`<div><dt><span class="mark ${look!}" aria-hidden="true"></span>${name}</dt><dd>${means}</dd></div>
`,
  )}</dl>`;
}
