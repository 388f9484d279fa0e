import { Gauge, Registry } from 'prom-client';
import { alertCodes } from '../job/alerts/conditions/catalogue.ts';
import { type AlertContext, type State, scheduledTimes } from '../job/alerts/read-alerts.ts';
import type { AccountState } from '../job/alerts/state.ts';
import { addDays, daysBetween } from '../model/day.ts';
import type { DeliveryState } from '../model/digest.ts';
import type { Queries } from '../warehouse/db/database.ts';
import { readInstalledAt } from '../warehouse/ledger/runs.ts';
import { unsentMail } from '../warehouse/outbox/deliveries.ts';
import { readMetricSamples } from '../warehouse/queries/metric-samples.ts';

const gauge = (help: string, ...labels: readonly string[]) => ({ help, labels });

/**
 * Every metric by its name. All but the first are read from the warehouse at each scrape. Over 50 accounts, samples have no
 * label `account`: they are totals.
 */
export const metrics = {
  callsheet_database_up: gauge("Whether the database can be reached and has this version's schema."),
  callsheet_last_scheduled_timestamp_seconds: gauge(
    'Last scheduled time that has passed. Absent until the first one after installation.',
  ),
  callsheet_last_success_timestamp_seconds: gauge(
    'End of the last run without dates that completed everything.',
  ),
  callsheet_last_run_duration_seconds: gauge('Duration of the last finished run without dates.'),
  callsheet_last_run_exit_code: gauge('Exit code of the last finished run without dates.'),
  callsheet_run_running: gauge('Whether a run without dates is running.'),
  callsheet_complete_through_timestamp_seconds: gauge(
    'All days before this time are loaded. With over 50 accounts, the earliest time of all. Absent if no day is loaded.',
    'account',
  ),
  callsheet_windows: gauge('Days of accounts that runs still fetch, by state.', 'account', 'state'),
  callsheet_flagged_windows: gauge('Days of all accounts that runs still fetch, by flag.', 'flag'),
  callsheet_active_alerts: gauge(
    'Active alerts by code, as listed by status: to do (only a person ends it) or to check. Notes are left out.',
    'code',
    'kind',
  ),
  callsheet_rejects: gauge('Records in quarantine (unreadable) that no later response replaced.', 'account'),
  callsheet_requests: gauge(
    'Requests to the service in the last 24 hours, by operation, HTTP status and load decision.',
    'operation',
    'status',
    'outcome',
  ),
  callsheet_unsent_deliveries: gauge('Digest messages not known to have arrived, by state.', 'state'),
};

export type MetricName = keyof typeof metrics;

export type Sample = ReturnType<typeof sample>;

/** One value of one metric. */
export function sample(name: MetricName, value: number, labels: Readonly<Record<string, string>> = {}) {
  return { name, value, labels };
}

/** The current samples of the state. A metric without a value has no sample. */
export const stateSamples = (state: State): Sample[] => [
  sample('callsheet_run_running', state.running?.kind === 'nightly' ? 1 : 0),
  // Every code has a sample, even 0: a rule about increases ignores the first value of a new series.
  ...alertCodes.flatMap((code) =>
    (['to do', 'to check'] as const).map((kind) => {
      const active = state.alerts.filter((alert) => alert.code === code && alert.kind === kind);
      return sample('callsheet_active_alerts', active.length, { code, kind });
    }),
  ),
  ...daySamples(state),
];

const unsentStates: readonly DeliveryState[] = ['pending', 'sending', 'failed', 'given_up', 'unknown'];

/** The current samples of the other metrics. */
export async function takeSamples(warehouse: Queries, { config, clock }: AlertContext): Promise<Sample[]> {
  const scheduledFor = scheduledTimes(config).newest(clock());
  const isSinceInstalled = Temporal.Instant.compare(await readInstalledAt(warehouse), scheduledFor) <= 0;
  const scheduledAt = scheduledFor.epochMilliseconds / 1_000;
  const unsent = await unsentMail(warehouse, config.digests);
  return [
    sample('callsheet_database_up', 1),
    // Before the first scheduled time since installation, no run can be missed.
    ...(isSinceInstalled ? [sample('callsheet_last_scheduled_timestamp_seconds', scheduledAt)] : []),
    ...unsentStates.map((state) => {
      const count = unsent.filter((delivery) => delivery.state === state).length;
      return sample('callsheet_unsent_deliveries', count, { state });
    }),
    ...(await readMetricSamples(warehouse)).map(({ metric, labels, value }) =>
      sample(`callsheet_${metric}` as MetricName, value, labels),
    ),
  ];
}

/** With more accounts, samples have no label `account`: what /metrics serves must not grow with their number. */
const maxLabelled = 50;

const flags = ['held', 'settling', 'restated'] as const;

/** None before the first account. */
function daySamples({ accounts }: State): Sample[] {
  if (accounts.length === 0) return [];
  const groups = accounts.length > maxLabelled ? [accounts] : accounts.map((account) => [account]);
  const all = accounts.flatMap(({ days }) => days);
  return [
    ...groups.flatMap((group) => {
      const labels: Record<string, string> = group.length > 1 ? {} : { account: group[0]!.name };
      return [...windowSamples(group, labels), ...throughSamples(group, labels)];
    }),
    ...flags.map((flag) => {
      const flagged = all.filter((day) => day[flag]);
      return sample('callsheet_flagged_windows', flagged.length, { flag });
    }),
  ];
}

function windowSamples(group: readonly AccountState[], labels: Readonly<Record<string, string>>): Sample[] {
  const open = group.flatMap(({ days }) => days.filter(({ state }) => state !== 'loaded'));
  const expected = group.reduce(
    (total, { since, catchUpFrom, yesterday }) =>
      total + (since === null ? 0 : daysBetween(catchUpFrom, yesterday).length),
    0,
  );
  return (['loaded', 'provisional', 'failed', 'missing'] as const).map((state) => {
    const count =
      state === 'loaded' ? expected - open.length : open.filter((day) => day.state === state).length;
    return sample('callsheet_windows', count, { ...labels, state });
  });
}

/** The end of the last complete day, of the account furthest behind; none if an account has none. */
function throughSamples(group: readonly AccountState[], labels: Readonly<Record<string, string>>): Sample[] {
  const ends = group.flatMap(({ completeThrough, timeZone }) =>
    completeThrough === null
      ? []
      : Temporal.PlainDate.from(addDays(completeThrough, 1)).toZonedDateTime(timeZone).epochMilliseconds,
  );
  if (ends.length === 0) return [];
  return [sample('callsheet_complete_through_timestamp_seconds', Math.min(...ends) / 1_000, labels)];
}

export const expositionType = Registry.PROMETHEUS_CONTENT_TYPE;

/** The samples in the text format of Prometheus; a metric without samples is left out. */
export async function expose(samples: readonly Sample[]): Promise<string> {
  // A new registry for each scrape: it has only the series that the warehouse still has.
  const registry = new Registry();
  for (const [name, { help, labels }] of Object.entries(metrics)) {
    const own = samples.filter((each) => each.name === name);
    if (own.length === 0) continue;
    const metric = new Gauge({ name, help, labelNames: labels, registers: [registry] });
    for (const { labels, value } of own) metric.inc(labels, value);
  }
  return await registry.metrics();
}
