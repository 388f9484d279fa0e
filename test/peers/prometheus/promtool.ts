import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { root } from '../../deploy/known.ts';
import { parseExposition } from '../../server/exposition.ts';
import { peers, runPeer } from '../../support/peers.ts';

/** For how long a replica served which text at /metrics; null where it didn't answer. */
export type Served = { readonly hours: number; readonly text: string | null };

/** Alerts that must fire at an hour, each with its labels, and no others. */
export type Firing = { readonly hour: number; readonly alerts: readonly Readonly<Record<string, string>>[] };

export const rulesFile = path.join(root, 'deploy/prometheus/rules.yaml');

const minutesPerScrape = 5;

/**
 * What promtool says against the rules, where replicas served these texts one after the other; empty if all alerts fire
 * at their hours, and nothing else does.
 */
export async function testRules(
  replicas: readonly (readonly Served[])[],
  firing: readonly Firing[],
): Promise<string> {
  return await evaluate(
    replicas,
    firing.map(({ hour, alerts }) => ({
      expr: 'ALERTS{alertstate="firing"}',
      eval_time: `${Math.round(hour * 60)}m`,
      exp_samples: alerts.map((labels) => ({
        labels: seriesName('ALERTS', { ...labels, alertstate: 'firing' }),
        value: 1,
      })),
    })),
  );
}

/** What promtool says against these queries, after a day on which two replicas served this text; empty if each draws something. */
export async function testQueries(text: string, queries: readonly string[]): Promise<string> {
  const served = [{ hours: 25, text }];
  return await evaluate(
    [served, served],
    queries.map((query) => ({
      expr: `count(${query}) > bool 0`,
      eval_time: '24h',
      exp_samples: [{ labels: '{}', value: 1 }],
    })),
  );
}

async function evaluate(replicas: readonly (readonly Served[])[], tests: readonly object[]): Promise<string> {
  const test = {
    interval: `${minutesPerScrape}m`,
    input_series: replicas.flatMap((served, replica) => seriesOf(served, `replica-${replica}`)),
    promql_expr_test: tests,
  };
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'callsheet-promtool-'));
  const file = path.join(folder.path, 'tests.yaml');
  const rules = { rule_files: [rulesFile], evaluation_interval: `${minutesPerScrape}m`, tests: [test] };
  await writeFile(file, stringify(rules, { aliasDuplicateObjects: false }));
  const { code, output } = await runPeer(peers.promtool, ['test', 'rules', file]);
  return code === 0 ? '' : output;
}

/** The series that Prometheus would have stored of what a replica served. */
function seriesOf(served: readonly Served[], instance: string) {
  const samples = served.map(({ text }) => samplesOf(text, instance));
  const names = new Set(samples.flatMap((each) => [...each.keys()]));
  return [...names].map((series) => ({
    series,
    values: served
      .map(({ hours }, index) => {
        const times = Math.round((hours * 60) / minutesPerScrape);
        const value = samples[index]!.get(series);
        const before = samples[index - 1]?.get(series);
        if (value !== undefined) return `${value}+0x${times - 1}`;
        // A series that the next scrape lacks ends at once, not five minutes later.
        return before === undefined ? `_x${times}` : `stale _x${times - 1}`;
      })
      .join(' '),
  }));
}

function samplesOf(text: string | null, instance: string): Map<string, number> {
  const metrics = text === null ? [] : [...parseExposition(text).values()];
  return new Map(
    metrics.flatMap(({ name, samples }) =>
      samples.map(({ labels, value }) => [
        seriesName(name, { ...labels, instance, job: 'callsheet' }),
        value,
      ]),
    ),
  );
}

function seriesName(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join(', ')}}`;
}
