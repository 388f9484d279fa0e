/** What a window costs, as measured. */
export type Costs = {
  /** What a window takes beside the service's answer, in a process that has others under way. */
  readonly beside: { readonly alone: number; readonly worker: number };
  /** Windows a second that Postgres and its machine can take, from as many workers as there are. */
  readonly ceiling: number;
};

/** Who works: the requests at once of a process by itself, and of each worker. */
const crews = [
  { who: 'one process', workers: 0, atOnce: 8 },
  { who: '1 worker', workers: 1, atOnce: 16 },
  { who: '4 workers', workers: 4, atOnce: 16 },
  { who: '16 workers', workers: 16, atOnce: 16 },
];
const accounts = [100, 1_000, 5_000, 20_000];
const latencies = [50, 200, 1_000];
/** Yesterday and the days that are looked back on, at the standard LOOKBACK_DAYS. */
const windowsOfNight = 3;

/** Minutes of a night's windows by accounts, latency of the service and who works, as a table. */
export function capacityTable({ beside, ceiling }: Costs): string[] {
  const minutes = (windows: number, latencyMs: number, { workers, atOnce }: (typeof crews)[number]) => {
    const eachMs = latencyMs + (workers === 0 ? beside.alone : beside.worker);
    const perSecond = Math.min((Math.max(1, workers) * atOnce * 1_000) / eachMs, ceiling);
    return windows / perSecond / 60;
  };
  return [
    `| accounts | latency | ${crews.map(({ who }) => who).join(' | ')} |`,
    `|---|---|${crews.map(() => '---').join('|')}|`,
    ...accounts.flatMap((count) =>
      latencies.map((latencyMs) => {
        const cells = crews.map((crew) => minutes(count * windowsOfNight, latencyMs, crew).toFixed(1));
        return `| ${count.toLocaleString('en')} | ${latencyMs} ms | ${cells.join(' | ')} |`;
      }),
    ),
  ];
}
