import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { duration } from '../../src/config/formats.ts';
import { loadConfig } from '../../src/config/load.ts';
import { alertCodes } from '../../src/job/alerts/conditions/catalogue.ts';
import { type MetricName, metrics } from '../../src/server/metrics.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { parseExposition } from '../server/exposition.ts';
import { addProblems, fill } from '../server/fill.ts';
import { openSite } from '../server/site.ts';
import { documents, read } from './known.ts';

type Target = { readonly expr: string; readonly legendFormat: string };
type Panel = { readonly title: string; readonly targets: readonly [Target] };
const { panels } = JSON.parse(read('deploy/bi/grafana/metrics.json')) as { panels: readonly Panel[] };

type Rule = { alert: string; expr: string; for: string; annotations: Record<string, string> };
const { groups } = parse(read('deploy/prometheus/rules.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const healed = ['CallsheetNoSuccess', 'CallsheetUnsentMail', 'CallsheetActiveAlert'];

describe('deploy/prometheus/rules.yaml', () => {
  it('alerts on each code of an active alert, and on each once', () => {
    const named = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/code=~?"([^"]+)"/g)].flatMap((match) => match[1]!.split('|')),
    );
    const { expr } = rules.find(({ alert }) => alert === 'CallsheetActiveAlert')!;
    const left = /code!~"([^"]+)"/.exec(expr)![1]!.split('|');
    expect(left.sort()).toEqual(named.sort());
    for (const code of left) expect(alertCodes).toContain(code);
  });

  it('waits longer than a run retries by default, before it alerts of what a run may heal', () => {
    const { config } = loadConfig({}, { service: false }, createRedactor());
    for (const { alert, for: wait } of rules.filter(({ alert: name }) => healed.includes(name)))
      expect([alert, duration.parse(wait)]).toEqual([
        alert,
        expect.toSatisfy((ms) => ms > config.retryForMs),
      ]);
  });

  it('uses metrics that exist, with labels that they have', () => {
    for (const { alert, expr } of rules) {
      const used = [...expr.matchAll(/(callsheet_\w+)(?:\{(.*?)\})?/g)];
      expect([alert, used.length > 0]).toEqual([alert, true]);
      for (const [, name, matchers = ''] of used) {
        expect(Object.keys(metrics), alert).toContain(name);
        const labels = [...matchers.matchAll(/(\w+)(?:=~?|!=|!~)"/g)].map((match) => match[1]!);
        expect(metrics[name as MetricName].labels, alert).toEqual(expect.arrayContaining(labels));
      }
      const metric = metrics[used[0]![1] as MetricName];
      const grouped = [...expr.matchAll(/\b(?:by|on) \(job(?:, ([\w, ]+))?\)/g)].flatMap(
        (match) => match[1]?.split(', ') ?? [],
      );
      expect(metric.labels, alert).toEqual(expect.arrayContaining(grouped));
    }
  });

  it('uses values of labels that are exposed', async () => {
    const site = await openSite();
    await fill(site, ['north']);
    await addProblems(site, 'north');
    const exposed = parseExposition(await site.text('/metrics'));
    await site.close();
    for (const { alert, expr } of rules) {
      for (const [, name, label, values] of expr.matchAll(/(callsheet_\w+)\{(\w+)=~?"([^"]+)"\}/g)) {
        const seen = exposed.get(name!)!.samples.map(({ labels }) => labels[label!]);
        expect(seen, alert).toEqual(expect.arrayContaining(values!.split('|')));
      }
    }
  });

  it('links each alert to a section of docs/operations.md, and no section is without an alert', () => {
    const chapters = [...read('docs/operations.md').matchAll(/^### (Callsheet\w+)$/gm)].map(
      (match) => match[1]!,
    );
    expect(rules.map(({ alert }) => alert)).toEqual(chapters);
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`${documents}/operations.md#${alert.toLowerCase()}`);
      expect(annotations.summary).toBeTruthy();
    }
  });
});

describe('deploy/bi/grafana/metrics.json', () => {
  it('names labels that its metrics have', () => {
    for (const { title, targets } of panels) {
      const [{ expr, legendFormat }] = targets;
      const name = /callsheet_\w+/.exec(expr)![0] as MetricName;
      const labels = [
        ...[...expr.matchAll(/by \(([^)]+)\)/g)].flatMap((match) => match[1]!.split(', ')),
        ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!),
      ];
      expect(metrics[name].labels, title).toEqual(expect.arrayContaining(labels));
    }
  });
});
