type Metric = {
  readonly kind: 'gauge' | 'counter';
  readonly help: string;
  readonly labels: readonly string[];
};

/** Every metric by its name. All but the first are read from the warehouse at each scrape. */
export const metrics = {
  callsheet_database_up: {
    kind: 'gauge',
    help: 'Whether the warehouse can be read: reachable, and of the schema of this version.',
    labels: [],
  },
  callsheet_last_success_timestamp_seconds: {
    kind: 'gauge',
    help: 'When the last undated run ended that left nothing undone.',
    labels: [],
  },
  callsheet_last_run_finished_timestamp_seconds: {
    kind: 'gauge',
    help: 'When the last finished undated run ended, however it did.',
    labels: [],
  },
  callsheet_last_run_duration_seconds: {
    kind: 'gauge',
    help: 'How long the last finished undated run took.',
    labels: [],
  },
  callsheet_last_run_exit_code: {
    kind: 'gauge',
    help: 'Exit code of the last finished undated run.',
    labels: [],
  },
  callsheet_last_run_rows: {
    kind: 'gauge',
    help: 'Campaign rows of the last finished undated run, by what became of them.',
    labels: ['change'],
  },
  callsheet_runs_total: {
    kind: 'counter',
    help: 'Finished runs of every kind, by outcome.',
    labels: ['outcome'],
  },
  callsheet_complete_through_timestamp_seconds: {
    kind: 'gauge',
    help: 'End of the last day up to which every day of the account is loaded. Absent where there is none.',
    labels: ['account'],
  },
  callsheet_windows: {
    kind: 'gauge',
    help: 'Days of the account up to yesterday, by state.',
    labels: ['account', 'state'],
  },
  callsheet_flagged_windows: {
    kind: 'gauge',
    help: 'Days of the account up to yesterday that carry a flag.',
    labels: ['account', 'flag'],
  },
  callsheet_campaign_rows: {
    kind: 'gauge',
    help: 'Current campaign rows of the account.',
    labels: ['account'],
  },
  callsheet_rejects_total: {
    kind: 'counter',
    help: 'Records of the account that could not be read and went into quarantine.',
    labels: ['account'],
  },
  callsheet_requests_total: {
    kind: 'counter',
    help: 'Requests to the service, by operation, HTTP status and load decision.',
    labels: ['operation', 'status', 'outcome'],
  },
  callsheet_unsent_deliveries: {
    kind: 'gauge',
    help: 'Messages that have not arrived for all that is known, by state.',
    labels: ['state'],
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;

/** One value of one metric. */
export type Sample = {
  readonly name: MetricName;
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
};
