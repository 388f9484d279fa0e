import { Counter, Gauge, Registry } from 'prom-client';
import { metrics, type Sample } from './metrics.ts';

export const expositionType = Registry.PROMETHEUS_CONTENT_TYPE;

/** The samples in the text format of Prometheus, each metric that has any with its help and type. */
export async function expose(samples: readonly Sample[]): Promise<string> {
  // A registry of its own for each scrape: what is gone from the warehouse is gone from here.
  const registry = new Registry();
  for (const [name, { kind, help, labels }] of Object.entries(metrics)) {
    const own = samples.filter((sample) => sample.name === name);
    if (own.length === 0) continue;
    const options = { name, help, labelNames: [...labels] as string[], registers: [registry] };
    if (kind === 'gauge') {
      const gauge = new Gauge(options);
      for (const { labels, value } of own) gauge.set(labels ?? {}, value);
    } else {
      const counter = new Counter(options);
      for (const { labels, value } of own) counter.inc(labels ?? {}, value);
    }
  }
  return await registry.metrics();
}
