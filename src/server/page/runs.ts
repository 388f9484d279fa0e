import { html } from 'hono/html';
import { formatCount, formatCountOf, formatDuration, formatList } from '../../support/english.ts';
import type { RunRecord } from '../../warehouse/queries/run-history.ts';
import { factList, formatInstant, type PageTime, quiet } from './elements.ts';

/** The last runs, each with its counts by step, and what failed. */
export function runList(runs: readonly RunRecord[], time: PageTime) {
  if (runs.length === 0) return quiet('No run yet.');
  return html`<div class="runs">${runs.map((run, index) => runItem(run, isNewest(runs, index), time))}</div>`;
}

/** Whether no newer run of its kind has begun; of those with the run lock, a newer one proves that the others ended. */
function isNewest(runs: readonly RunRecord[], index: number): boolean {
  return !runs.slice(0, index).some((newer) => newer.exclusive === runs[index]!.exclusive);
}

function runItem(run: RunRecord, newest: boolean, { now, timeZone }: PageTime) {
  const outcome = run.outcome ?? unfinishedOutcome(run, newest, now);
  const failures = failuresOf(run);
  const facts: [string, string | number][] = [['command', run.command]];
  if (outcome === 'waiting') facts.push(['next attempt', formatInstant(run.retryAt!, timeZone)]);
  if (run.exitCode !== null) facts.push(['exit code', run.exitCode]);
  return html`<details class="run" ${newest && failures.length > 0 ? 'open' : ''}>
<summary><span class="badge is-${outcome.replace(' ', '-')}">${outcome}</span> <span class="when">${formatInstant(run.startedAt, timeZone)}</span> <span class="quiet">${summarize(run, outcome, failures.length, now)}</span></summary>
${factList([...facts, ...stepsOf(run)])}
${failures.length === 0 ? '' : html`<ul class="failures">${failures.map((line) => html`<li>${line}</li>`)}</ul>`}
</details>
`;
}

/** How late the next attempt of a run may be before nobody is there to make it. */
const maxLate = { minutes: 5 };

function unfinishedOutcome({ retryAt }: RunRecord, newest: boolean, now: Temporal.Instant): string {
  if (retryAt === null) return newest ? 'in progress' : 'killed';
  const latest = Temporal.Instant.from(retryAt).add(maxLate);
  return Temporal.Instant.compare(now, latest) <= 0 ? 'waiting' : 'killed';
}

/** `41 s · 3 days loaded · 1 failure`; how long a killed run took is unknown. */
function summarize(run: RunRecord, outcome: string, failures: number, now: Temporal.Instant): string {
  const parts: string[] = [];
  const end = Temporal.Instant.from(run.finishedAt ?? now);
  const tookMs = end.epochMilliseconds - Temporal.Instant.from(run.startedAt).epochMilliseconds;
  if (outcome !== 'killed') parts.push(formatDuration(tookMs));
  const loaded = new Map(countsOf(run.summary?.windows)).get('loaded');
  if (loaded !== undefined) parts.push(`${formatCountOf(loaded, 'day')} loaded`);
  if (failures > 0) parts.push(formatCountOf(failures, 'failure'));
  return parts.join(' · ');
}

/** The steps in the order of a run; unknown ones come last. */
const stepOrder = ['clients', 'windows', 'rows', 'digests', 'deliveries', 'rejects'];

const words = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function countsOf(step: unknown): [name: string, count: number][] {
  if (typeof step !== 'object' || step === null) return [];
  return Object.entries(step).filter((entry) => typeof entry[1] === 'number');
}

/** The counts of a run, step by step: whatever its version of the job recorded, without zeros. */
function stepsOf({ summary }: RunRecord): [step: string, counts: string][] {
  const steps = new Set([...stepOrder, ...Object.keys(summary ?? {})]);
  return [...steps]
    .map((step): [string, string] => [words(step), describeCounts(summary?.[step])])
    .filter(([, counts]) => counts !== '');
}

function describeCounts(value: unknown): string {
  if (typeof value === 'number') return value === 0 ? '' : formatCount(value);
  return countsOf(value)
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => `${formatCount(count)} ${words(name)}`)
    .join(', ');
}

/** Each failure with its accounts and days; the same one is shown once. */
function failuresOf({ summary }: RunRecord): string[] {
  const failures = Array.isArray(summary?.failures) ? (summary.failures as Record<string, unknown>[]) : [];
  const byLine = Map.groupBy(failures, ({ line }) => String(line));
  const lines = [...byLine].map(([line, same]) => {
    const places = same.map(({ account, day }) => [account, day].filter(Boolean).join(' '));
    const shown = places.length > 4 ? [...places.slice(0, 3), `${places.length - 3} more`] : places;
    return `${formatList([...new Set(shown)])}: ${line}`;
  });
  return typeof summary?.ended === 'string' ? [...lines, summary.ended] : lines;
}
