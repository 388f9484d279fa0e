import { Counter, Gauge, Registry } from 'prom-client';

const gauge = (help: string, ...labels: readonly string[]) => ({ kind: 'gauge', help, labels }) as const;
const counter = (help: string, ...labels: readonly string[]) => ({ kind: 'counter', help, labels }) as const;

/** Every metric by its name. All but the first are read from the warehouse at each scrape. */
export const metrics = {
  callsheet_database_up: gauge(
    'Whether the warehouse can be read: reachable, and of the schema of this version.',
  ),
  callsheet_last_success_timestamp_seconds: gauge(
    'When the last undated run ended that left nothing undone.',
  ),
  callsheet_last_run_finished_timestamp_seconds: gauge(
    'When the last finished undated run ended, whatever its outcome.',
  ),
  callsheet_last_run_duration_seconds: gauge('How long the last finished undated run took.'),
  callsheet_last_run_exit_code: gauge('Exit code of the last finished undated run.'),
  callsheet_last_run_rows: gauge(
    'Campaign rows of the last finished undated run, by what became of them.',
    'change',
  ),
  callsheet_runs_total: counter('Finished runs of every kind, by outcome.', 'outcome'),
  callsheet_complete_through_timestamp_seconds: gauge(
    'End of the last day up to which every day of the account is loaded. Absent if there is none.',
    'account',
  ),
  callsheet_windows: gauge('Days of the account up to yesterday, by state.', 'account', 'state'),
  callsheet_flagged_windows: gauge(
    'Days of the account up to yesterday that carry a flag.',
    'account',
    'flag',
  ),
  callsheet_campaign_rows: gauge('Current campaign rows of the account.', 'account'),
  callsheet_rejects_total: counter(
    'Records of the account that could not be read and went into quarantine.',
    'account',
  ),
  callsheet_requests_total: counter(
    'Requests to the service, by operation, HTTP status and load decision.',
    'operation',
    'status',
    'outcome',
  ),
  callsheet_unsent_deliveries: gauge('Messages that are not known to have arrived, by state.', 'state'),
};

export type MetricName = keyof typeof metrics;

export type Sample = ReturnType<typeof sample>;

/** One value of one metric. */
export function sample(name: MetricName, value: number, labels: Readonly<Record<string, string>> = {}) {
  return { name, value, labels };
}

export const expositionType = Registry.PROMETHEUS_CONTENT_TYPE;

/** The samples in the text format of Prometheus; a metric without samples is left out. */
export async function expose(samples: readonly Sample[]): Promise<string> {
  // A registry of its own for each scrape: what is gone from the warehouse is gone from here.
  const registry = new Registry();
  for (const [name, { kind, help, labels }] of Object.entries(metrics)) {
    const own = samples.filter((each) => each.name === name);
    if (own.length === 0) continue;
    const options = { name, help, labelNames: labels, registers: [registry] };
    const metric = kind === 'gauge' ? new Gauge(options) : new Counter(options);
    for (const { labels, value } of own) metric.inc(labels, value);
  }
  return await registry.metrics();
}
