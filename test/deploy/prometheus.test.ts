import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type MetricName, metrics } from '../../src/server/metrics.ts';
import { parseExposition } from '../server/exposition.ts';
import { addProblems, fill } from '../server/fill.ts';
import { openSite } from '../server/site.ts';
import { read } from './known.ts';

type Rule = { alert: string; expr: string; annotations: Record<string, string> };
const { groups } = parse(read('deploy/prometheus/rules.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

describe('deploy/prometheus/rules.yaml', () => {
  it('alerts on no success in 26 hours, on coverage gaps and on unsent mail', () => {
    expect(rules.map(({ alert }) => alert)).toEqual(
      expect.arrayContaining(['CallsheetNoSuccess', 'CallsheetCoverageGap', 'CallsheetUnsentMail']),
    );
    expect(rules.find(({ alert }) => alert === 'CallsheetNoSuccess')!.expr).toContain('> 26 * 3600');
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
      const grouped = [...expr.matchAll(/\b(?:by|on) \((\w+)\)/g)].map((match) => match[1]!);
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
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
      expect(annotations.summary).toBeTruthy();
    }
  });
});
