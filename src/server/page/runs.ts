import { html } from 'hono/html';
import { formatCount, formatCountOf, formatDuration, formatList } from '../../support/english.ts';
import type { RunRecord } from '../../warehouse/queries/run-history.ts';
import { formatInstant, instantOf } from './format.ts';
import type { PageTime } from './overview.ts';

/** The last runs, each with what it did in which step, and what failed. */
export function runList(runs: readonly RunRecord[], time: PageTime) {
  if (runs.length === 0) return html`<p class="quiet">No run yet.</p>`;
  return html`<div class="runs">${runs.map((run, index) => runItem(run, isNewest(runs, index), time))}</div>`;
}

/** Whether no newer run of its kind has begun; of those with the run lock, one that has ended the others. */
function isNewest(runs: readonly RunRecord[], index: number): boolean {
  return !runs.slice(0, index).some((newer) => newer.exclusive === runs[index]!.exclusive);
}

function runItem(run: RunRecord, newest: boolean, { now, timeZone }: PageTime) {
  const began = instantOf(run.startedAt);
  const ended = run.finishedAt === null ? null : instantOf(run.finishedAt);
  const outcome = run.outcome ?? (newest ? 'at work' : 'killed');
  const took =
    ended === null && !newest
      ? null
      : formatDuration((ended ?? now).epochMilliseconds - began.epochMilliseconds);
  const failures = failuresOf(run);
  return html`<details class="run" ${newest && failures.length > 0 ? 'open' : ''}>
<summary><span class="badge is-${outcome.replace(' ', '-')}">${outcome}</span> <span class="when">${formatInstant(began, timeZone)}</span> <span class="quiet">${[took, headline(run), failures.length > 0 && formatCountOf(failures.length, 'failure')].filter(Boolean).join(' · ')}</span></summary>
<dl class="facts"><div><dt>command</dt><dd>${run.command}</dd></div>${run.exitCode === null ? '' : html`<div><dt>exit code</dt><dd>${run.exitCode}</dd></div>`}${stepsOf(
    run,
  ).map(([step, did]) => html`<div><dt>${step}</dt><dd>${did}</dd></div>`)}</dl>
${failures.length === 0 ? '' : html`<ul class="failures">${failures.map((line) => html`<li>${line}</li>`)}</ul>`}
</details>
`;
}

/** The steps in the order of a run; one that isn't known comes last. */
const stepOrder = ['clients', 'windows', 'rows', 'digests', 'deliveries', 'rejects'];

const words = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const isCount = (entry: readonly [string, unknown]): entry is readonly [string, number] =>
  typeof entry[1] === 'number';

const countsOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

/** What a run counted, step by step: whatever its version of the job wrote down, and nothing that is zero. */
function stepsOf({ summary }: RunRecord): [string, string][] {
  const place = (name: string) => (stepOrder.includes(name) ? stepOrder.indexOf(name) : stepOrder.length);
  const steps = Object.entries(summary ?? {})
    .filter(([name]) => name !== 'failures' && name !== 'ended')
    .sort(([one], [other]) => place(one) - place(other));
  return steps.flatMap(([step, value]): [string, string][] => {
    const counts = typeof value === 'number' ? [[step, value] as const] : countsOf(value).filter(isCount);
    const shown = counts.filter(([, count]) => count !== 0);
    if (shown.length === 0) return [];
    const did = shown.map(([name, count]) =>
      name === step ? formatCount(count) : `${formatCount(count)} ${words(name)}`,
    );
    return [[words(step), did.join(', ')]];
  });
}

function headline({ summary }: RunRecord): string | false {
  const loaded = countsOf(summary?.windows).find(([name]) => name === 'loaded')?.[1];
  return typeof loaded === 'number' && `${formatCountOf(loaded, 'day')} loaded`;
}

/** Each failure with the accounts and days it happened to; the same one is shown once. */
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
