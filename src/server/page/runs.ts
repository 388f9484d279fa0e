import { html } from 'hono/html';
import { isRetryAhead } from '../../job/run/retries.ts';
import type { ErrorCause } from '../../job/run/run-stats.ts';
import { formatCountOf, formatDay, formatDuration } from '../../support/english.ts';
import type { RunRecord } from '../../warehouse/queries/run-history.ts';
import { formatInstant, formatTime, quiet } from './elements.ts';
import type { Overview } from './overview.ts';

/** The newest runs and commands, each with what it did and what went wrong. */
export function runList({
  runs,
  accounts,
  now,
  timeZone,
}: Pick<Overview, 'runs' | 'accounts' | 'now' | 'timeZone'>) {
  if (runs.length === 0) return quiet('No run yet.');
  const labels = new Map(accounts.map(({ name, label }) => [name, label]));
  const items = runs.map((run, index) => {
    const outcome = run.outcome ?? (run.isRunning ? 'running' : 'killed');
    const causes = causesOf(run, labels);
    // A retry is ahead only of the newest run that takes the run lock, and of the newest that doesn't.
    const isNewest = !runs.slice(0, index).some((newer) => newer.exclusive === run.exclusive);
    const retry =
      isNewest && isRetryAhead(run.retryAt, now) ? [`retry at ${formatTime(run.retryAt!, timeZone)}`] : [];
    const facts = [...factsOf(run, outcome, now), ...retry].join(' · ');
    return html`<li class="run"><span class="badge is-${outcome}">${outcome}</span> <strong>${formatInstant(run.startedAt, timeZone)}</strong> <code>${run.command}</code> <span class="quiet">${facts}</span>
${causes.map((cause) => html`<p class="cause">${cause}</p>`)}</li>
`;
  });
  return html`<ul class="list">${items}</ul>`;
}

/** A killed run has no duration: its end is unknown. */
function factsOf(
  { startedAt, finishedAt, summary }: RunRecord,
  outcome: string,
  now: Temporal.Instant,
): string[] {
  const end = Temporal.Instant.from(finishedAt ?? now);
  const took = end.epochMilliseconds - Temporal.Instant.from(startedAt).epochMilliseconds;
  const { loaded } = (summary?.windows ?? {}) as { loaded?: number };
  return [
    ...(outcome === 'killed' ? [] : [formatDuration(took)]),
    ...(loaded === undefined ? [] : [`${formatCountOf(loaded, 'day')} loaded`]),
  ];
}

const causesShown = 3;

/** Lists up to three places; of more, counts the accounts and the days. */
function describePlaces(
  { errors, accounts, days, places }: ErrorCause,
  labels: ReadonlyMap<string, string>,
): string {
  const whom = places.map(({ account }) => labels.get(account) ?? account);
  const lines = new Set(
    places.map(({ day }, index) => [whom[index], ...(day === null ? [] : [formatDay(day)])].join(', ')),
  );
  if (places.length === errors && lines.size <= 3) return [...lines].join('; ');
  const all = accounts === 1 ? whom[0]! : `${whom[0]} and ${accounts - 1} more`;
  return days === 0 ? all : `${all}, ${formatCountOf(days, 'day')}`;
}

/** A line for each cause with its accounts and days, then the error that ended the run. */
function causesOf({ summary }: RunRecord, labels: ReadonlyMap<string, string>): string[] {
  const causes = (summary?.failures ?? []) as readonly ErrorCause[];
  const lines = causes.map((cause) => `${describePlaces(cause, labels)}: ${cause.detail}`);
  if (typeof summary?.ended === 'string') lines.unshift(summary.ended);
  if (lines.length <= causesShown) return lines;
  return [...lines.slice(0, causesShown), `and ${lines.length - causesShown} more`];
}
