import { html } from 'hono/html';
import type { AccountStatus } from '../../job/alerts/account-status.ts';
import { isRetryAhead } from '../../job/run/retries.ts';
import type { StepTime } from '../../job/run/run-stats.ts';
import {
  formatCount,
  formatCountOf,
  formatDuration,
  formatElapsed,
  formatList,
} from '../../support/english.ts';
import type { NightRecord, RunRecord } from '../../warehouse/queries/run-history.ts';
import { factList, formatInstant, type Labels, labelsOf, quiet } from './elements.ts';
import type { Overview } from './overview.ts';
import { strip } from './strip.ts';

export type RunListInput = Pick<Overview, 'now' | 'timeZone'> & {
  readonly runs: readonly RunRecord[];
  readonly nights: readonly NightRecord[];
  readonly accounts: readonly Pick<AccountStatus, 'account' | 'label'>[];
};

/** Shows the newest nightly run and those that weren't done; the others and commands by hand are folded. */
export function runList(input: RunListInput) {
  const { runs } = input;
  const items = runs.map((run, index) => ({ run, item: runItem(run, isNewest(runs, index), input) }));
  const nightly = items.filter(({ run }) => run.kind === 'nightly');
  const shown = nightly.filter(({ run }, index) => index === 0 || run.outcome !== 'done');
  const folded = (key: string, title: string, rest: typeof items) =>
    rest.length === 0
      ? ''
      : html`<details class="folded" data-key="${key}"><summary>${title}</summary>${rest.map(({ item }) => item)}</details>`;
  const done = nightly.filter((each) => !shown.includes(each));
  const byHand = items.filter(({ run }) => run.kind !== 'nightly');
  return html`${nightStrips(input.nights)}${shown.length === 0 ? quiet('No nightly run yet.') : shown.map(({ item }) => item)}
${folded('done', `${formatCountOf(done.length, 'earlier run')}, done`, done)}${folded('by hand', `Commands by hand, last ${byHand.length}`, byHand)}`;
}

/** Four weeks of runs: how long each night took, and how many rows its responses had. One night compares with nothing. */
function nightStrips(nights: readonly NightRecord[]) {
  if (nights.length < 2) return '';
  const bars = (value: (night: NightRecord) => number) =>
    nights.map((night) => ({
      value: value(night),
      typical: null,
      low: night.outcome !== 'done',
    }));
  return html`<div class="nights">
<p>Duration ${strip(
    `Duration of the last ${nights.length} nights`,
    bars(({ seconds }) => seconds),
  )}</p>
<p>Rows ${strip(
    `Rows of the last ${nights.length} nights`,
    bars(({ rows }) => rows),
  )}</p>
</div>
`;
}

/**
 * Returns whether no newer run has the same `exclusive`: only the newest shows its retry.
 */
function isNewest(runs: readonly RunRecord[], index: number): boolean {
  return !runs.slice(0, index).some((newer) => newer.exclusive === runs[index]!.exclusive);
}

function runItem(run: RunRecord, newest: boolean, { now, timeZone, accounts }: RunListInput) {
  const outcome = run.outcome ?? (run.atWork ? 'in progress' : 'killed');
  const failures = failuresOf(run, labelsOf(accounts));
  const facts: [string, string | number][] = [];
  if (newest && isRetryAhead(run.retryAt, now))
    facts.push(['next retry', formatInstant(run.retryAt!, timeZone)]);
  if (run.exitCode !== null) facts.push(['exit code', run.exitCode]);
  return html`<details class="run" data-key="run ${run.run}">
<summary><span class="badge is-${outcome.replace(' ', '-')}">${outcome}</span> <span class="when">${formatInstant(run.startedAt, timeZone)}</span> <code>${run.command}</code> <span class="quiet">${summarize(run, outcome, failures, now)}</span></summary>
${factList([...facts, ...countFacts(run), ...durationsOf(run)])}
${failures.length === 0 ? '' : html`<ul class="failures">${failures.map((line) => html`<li>${line}</li>`)}</ul>`}
</details>
`;
}

/** `41 s · 3 days loaded · North: token refused, and 2 more`. A killed run has no duration: its end is unknown. */
function summarize(
  run: RunRecord,
  outcome: string,
  [first, ...others]: readonly string[],
  now: Temporal.Instant,
): string {
  const parts: string[] = [];
  const end = Temporal.Instant.from(run.finishedAt ?? now);
  const tookMs = end.epochMilliseconds - Temporal.Instant.from(run.startedAt).epochMilliseconds;
  if (outcome !== 'killed') parts.push(formatDuration(tookMs));
  const loaded = new Map(countsOf(run.summary?.windows)).get('loaded');
  if (loaded !== undefined) parts.push(`${formatCountOf(loaded, 'day')} loaded`);
  if (first !== undefined) parts.push(others.length > 0 ? `${first}, and ${others.length} more` : first);
  return parts.join(' · ');
}

/** The order of the counts; others come last. */
const countOrder = ['clients', 'windows', 'rows', 'digests', 'deliveries', 'rejects'];

const toWords = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function countsOf(step: unknown): [name: string, count: number][] {
  if (typeof step !== 'object' || step === null) return [];
  return Object.entries(step).filter((entry) => typeof entry[1] === 'number');
}

/** The counts of a run by subject, without zeros. Other versions may have recorded other subjects. */
function countFacts({ summary }: RunRecord): [step: string, counts: string][] {
  const steps = new Set([...countOrder, ...Object.keys(summary ?? {})]);
  return [...steps]
    .map((step): [string, string] => [toWords(step), describeCounts(summary?.[step])])
    .filter(([, counts]) => counts !== '');
}

function describeCounts(value: unknown): string {
  if (typeof value === 'number') return value === 0 ? '' : formatCount(value);
  return countsOf(value)
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => `${formatCount(count)} ${toWords(name)}`)
    .join(', ');
}

/** Shorter steps had nothing to do. In milliseconds. */
const worthAWord = 100;

/** The duration of each step: `clients 1.2 s, windows 38.0 s`. */
function durationsOf({ summary }: RunRecord): [string, string][] {
  const steps = Array.isArray(summary?.steps) ? (summary.steps as StepTime[]) : [];
  const durations = [...Map.groupBy(steps, ({ step }) => step)].flatMap(([step, times]) => {
    const ms = times.reduce((total, time) => total + time.ms, 0);
    return ms < worthAWord ? [] : [`${step} ${formatElapsed(ms)}`];
  });
  return durations.length === 0 ? [] : [['durations', durations.join(', ')]];
}

/** A line for each distinct failure with its accounts and days, then the error that ended the run. */
function failuresOf({ summary }: RunRecord, labels: Labels): string[] {
  const failures = Array.isArray(summary?.failures) ? (summary.failures as Record<string, unknown>[]) : [];
  const byDetail = Map.groupBy(failures, ({ detail }) => String(detail));
  const lines = [...byDetail].map(([detail, same]) => {
    const places = same.map(({ account, day }) =>
      [labels.get(String(account)) ?? account, day].filter(Boolean).join(' '),
    );
    const shown = places.length > 3 ? [places[0]!, `${places.length - 1} more`] : places;
    return `${formatList([...new Set(shown)])}: ${detail}`;
  });
  return typeof summary?.ended === 'string' ? [...lines, summary.ended] : lines;
}
