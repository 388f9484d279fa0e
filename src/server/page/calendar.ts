import { html } from 'hono/html';
import { isUnusuallyFew } from '../../job/alerts/conditions/figures.ts';
import type { AccountState } from '../../job/alerts/state.ts';
import { describeAnomalies } from '../../job/windows/describe-anomaly.ts';
import { type ActiveAlert, needsAction } from '../../model/alert.ts';
import { addDays, type Day, daysBetween, weekdayOf } from '../../model/day.ts';
import type { DayState } from '../../model/window.ts';
import { formatCountOf, formatDay } from '../../support/english.ts';
import { foldAlike } from '../../support/fold.ts';
import { quiet } from './elements.ts';
import type { Overview } from './overview.ts';

/** More accounts are named, without their days: the worst come first. */
const rowsShown = 40;

/** Runs catch up on more days with a larger `CATCH_UP_DAYS`. */
const maxDays = 35;

/** The days that runs still catch up on: a row for each account, a column for each day. */
export function calendar({ accounts, alerts }: Pick<Overview, 'accounts' | 'alerts'>) {
  if (accounts.length === 0) return quiet('No account yet.');
  const last = accounts
    .map(({ yesterday }) => yesterday)
    .sort()
    .at(-1)!;
  const reach = accounts.map(({ catchUpFrom }) => catchUpFrom).sort()[0]!;
  const limit = addDays(last, 1 - maxDays);
  const days = daysBetween(reach < limit ? limit : reach, last);
  const byAccount = Map.groupBy(
    alerts.filter(needsAction).flatMap((alert) => alert.accounts.map((name) => ({ name, alert }))),
    ({ name }) => name,
  );
  const alertsOf = ({ name }: AccountState) => (byAccount.get(name) ?? []).map(({ alert }) => alert);
  const rows = foldAlike(
    accounts.map((account) => rowOf(account, alertsOf(account))).sort(byProblems),
    ({ account, alerts: own, problems }) => [
      account.completeThrough,
      account.since === null ? null : [account.catchUpFrom, account.yesterday],
      own.map(({ key }) => key),
      problems,
      account.days.map((day) => describeDay(day.day, day)),
    ],
    (first, others) => ({ ...first, others: others.map(({ account }) => account.label) }),
  );
  const shown = rows.slice(0, rowsShown);
  return html`<table class="calendar">
<thead><tr><td></td>${datesOf(days)}</tr></thead>
<tbody>${shown.map((row) => accountRow(row, days))}</tbody>
</table>
${legend(shown, days)}
${listOthers(rows.slice(rowsShown))}`;
}

type Row = {
  readonly account: AccountState;
  /** The alerts that name the account, the gravest first. */
  readonly alerts: readonly ActiveAlert[];
  /** The gravity of its problems, the worst first: compared one by one, the larger is worse. */
  readonly problems: readonly number[];
  /** Labels of accounts that are alike. */
  readonly others: readonly string[];
};

const newestOf = ({ days, yesterday }: AccountState) => days.findLast(({ day }) => day === yesterday);

function rowOf(account: AccountState, alerts: readonly ActiveAlert[]): Row {
  const { days } = account;
  const newest = newestOf(account);
  const count = (condition: (day: DayState) => boolean) => days.filter(condition).length;
  return {
    account,
    alerts,
    problems: [
      Number(alerts.some(({ severity }) => severity === 'error')),
      alerts.length,
      count(({ state }) => state === 'failed' || state === 'missing'),
      count(({ state, held }) => state === 'provisional' || held),
      newest === undefined ? 0 : shortfallOf(newest),
    ],
    others: [],
  };
}

/** Compares labels so that `account 2` comes before `account 10`. */
const labels = new Intl.Collator('en', { numeric: true });

function byProblems(one: Row, other: Row): number {
  const differing = one.problems.findIndex((value, index) => value !== other.problems[index]);
  if (differing !== -1) return other.problems[differing]! - one.problems[differing]!;
  return labels.compare(one.account.label, other.account.label);
}

/** The share of a typical weekday that a day lacks, if it has unusually few attempts; otherwise 0. No calls at all is 1. */
function shortfallOf({ state, attempts, typicalAttempts }: DayState): number {
  if (state !== 'loaded' || attempts === null || typicalAttempts === null) return 0;
  return isUnusuallyFew(attempts, typicalAttempts) ? 1 - attempts / typicalAttempts : 0;
}

function accountRow({ account, alerts, others }: Row, days: readonly Day[]) {
  const byDay = new Map(account.days.map((day) => [day.day, day]));
  const cells = days.map((day) => cell(account, day, byDay.get(day)));
  const links = alerts.map(
    ({ key, subject }) => html` · <a href="#${key}">${subject.replace(/ \([^)]*\)$/, '')}</a>`,
  );
  if (others.length > 0)
    return html`<tr><th scope="row">${formatCountOf(others.length + 1, 'account')} <span class="quiet">with the same days${links.length === 0 ? ', nothing to do' : links}</span><details class="quiet"><summary>Show accounts</summary>${[account.label, ...others].join(', ')}</details></th>${cells}</tr>
`;
  return html`<tr><th scope="row">${account.label} <span class="quiet">${describeAccount(account, days[0]!)}${links}</span></th>${cells}</tr>
`;
}

/** The newest day, and how far the account is complete where that is before the calendar. */
function describeAccount(account: AccountState, first: Day): string {
  const { since, completeThrough } = account;
  const newest = newestOf(account);
  const parts = [newest === undefined ? 'nothing loaded yet' : describeNewest(newest)];
  if (since !== null && since < first && (completeThrough ?? since) < addDays(first, -1))
    parts.push(
      completeThrough === null ? 'never complete' : `complete through ${formatDay(completeThrough)}`,
    );
  return parts.join(' · ');
}

/** `Thu 19 Nov: 12,480 attempts, −18% vs a typical Thu`. */
function describeNewest({ day, state, attempts, typicalAttempts: typical }: DayState): string {
  const date = formatDay(day);
  if (state === 'failed' || state === 'missing') return `${date}: ${state}`;
  if (attempts === null) return `${date}: attempts not reported`;
  const counted = `${date}: ${attempts === 0 ? 'no calls' : formatCountOf(attempts, 'attempt')}`;
  // A percentage of a small base says nothing (docs/digest.md).
  if (state !== 'loaded' || typical === null || typical < 20) return counted;
  const percent = Math.round((attempts / typical - 1) * 100);
  if (percent > 300) return counted;
  const change = percent === 0 ? 'no change' : `${percent < 0 ? '−' : '+'}${Math.abs(percent)}%`;
  return `${counted}, ${change} vs a typical ${date.slice(0, 3)}`;
}

const flags = ['held', 'restated', 'settling'] as const;

const meanings = {
  loaded: 'confirmed: the figures have no anomaly',
  provisional: 'loaded, not confirmed yet: each run fetches it again',
  failed: 'attempted, but never loaded',
  missing: 'not attempted yet',
  held: 'the newest response was not applied: the earlier figures stay',
  restated: 'the service changed the counts after the day was confirmed',
  settling: 'may still change: not yet confirmed by a second night',
} as const satisfies Record<DayState['state'] | (typeof flags)[number], string>;

type Mark = keyof typeof meanings;

/** A day, as far as its description goes. */
type Described = Pick<
  DayState,
  'state' | (typeof flags)[number] | 'isOver' | 'reason' | 'heldReason' | 'anomalies'
>;

/** The state and the flags of a day. They are also its CSS classes. */
const marksOf = (day: Described): Mark[] => [day.state, ...flags.filter((flag) => day[flag])];

/** A day that the ledger has no news of is loaded. */
const unlisted: Described = {
  state: 'loaded',
  held: false,
  restated: false,
  settling: false,
  isOver: true,
  reason: null,
  heldReason: null,
  anomalies: [],
};

const isShown = ({ since, catchUpFrom, yesterday }: AccountState, day: Day): boolean =>
  since !== null && day >= catchUpFrom && day <= yesterday;

/** A day's description is shown on hover. Days that aren't expected, or that no run fetches any more, are blank. */
function cell(account: AccountState, day: Day, state: Described = unlisted) {
  const monday = isMonday(day) ? 'monday' : '';
  if (!isShown(account, day)) return html`<td class="${monday}"></td>`;
  return html`<td class="${monday}"><span class="${marksOf(state).join(' ')}" data-day="${account.name} ${day}" role="img" aria-label="${describeDay(day, state)}"></span></td>`;
}

/** `Thu 19 Nov: provisional: the service announced 9 campaigns and listed 4`. */
function describeDay(day: Day, state: Described): string {
  const unsaid = state.isOver ? describeAnomalies(state.anomalies) : 'the day was not over';
  const said = state.heldReason ?? state.reason;
  const reason = state.state === 'loaded' ? said : (said ?? unsaid);
  return `${formatDay(day)}: ${marksOf(state).join(', ')}${reason === null ? '' : `: ${reason}`}`;
}

/** The date of each Monday, over its week. Three days have no room for a date. */
const datesOf = (days: readonly Day[]) =>
  days.map((day, index) => {
    const monday = isMonday(day) ? 'monday' : '';
    const next = days.slice(index + 1, index + 4);
    const isDated = (index === 0 || isMonday(day)) && next.length === 3 && !next.some(isMonday);
    return html`<td class="${monday}">${isDated ? formatDay(day).slice(4) : ''}</td>`;
  });

const isMonday = (day: Day) => weekdayOf(day) === 1;

/** The marks that occur, besides that of a day as it should be. */
function legend(rows: readonly Row[], days: readonly Day[]) {
  const listed = rows.flatMap(({ account }) => account.days.filter(({ day }) => day >= days[0]!));
  const present = new Set(listed.flatMap(marksOf));
  const marks = (Object.keys(meanings) as Mark[]).filter((mark) => mark !== 'loaded' && present.has(mark));
  const items = marks.map((mark) => {
    const classes = flags.some((flag) => flag === mark) ? `loaded ${mark}` : mark;
    return html`<div><dt><span class="mark ${classes}" aria-hidden="true"></span>${mark}</dt><dd>${meanings[mark]}</dd></div>
`;
  });
  return html`<dl class="legend">${items}</dl>`;
}

/** The accounts without a row. */
function listOthers(rows: readonly Row[]) {
  if (rows.length === 0) return '';
  const names = rows.flatMap(({ account, others }) => [account.label, ...others]).sort(labels.compare);
  return html`<details class="folded"><summary>${formatCountOf(names.length, 'other account')}</summary>${names.join(', ')}</details>`;
}
