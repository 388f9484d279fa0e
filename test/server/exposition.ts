/** A metric of Prometheus's text format, parsed strictly: anything else is an error. */
export type Metric = {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: { readonly labels: Record<string, string>; readonly value: number }[];
};

/** Reads https://prometheus.io/docs/instrumenting/exposition_formats/, as far as gauges and counters go. */
export function parseExposition(text: string): Map<string, Metric> {
  if (!text.endsWith('\n')) throw new Error('the last line has no line break');
  const metrics = new Map<string, Metric>();
  let current: Metric | undefined;
  for (const line of text.split('\n').filter((line) => line !== '')) {
    const help = /^# HELP ([a-zA-Z_:][\w:]*) (.+)$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (gauge|counter)$/.exec(line);
    if (help) {
      if (metrics.has(help[1]!)) throw new Error(`${help[1]} is there twice`);
      current = { name: help[1]!, help: help[2]!, type: '', samples: [] };
    } else if (type && current?.name === type[1]) {
      current = { ...current!, type: type[2]! };
      metrics.set(current.name, current);
    } else if (current?.type) {
      current.samples.push(parseSample(line, current.name));
    } else {
      throw new Error(`not of the format: ${line}`);
    }
  }
  return metrics;
}

function parseSample(line: string, name: string) {
  const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
  if (match?.[1] !== name) throw new Error(`not a sample of ${name}: ${line}`);
  const pairs = match[2] ?? '';
  const labels = [...pairs.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/g)];
  if (labels.map((label) => label[0]).join('') !== pairs) throw new Error(`not labels: ${line}`);
  const value = Number(match[3]);
  if (Number.isNaN(value)) throw new Error(`not a number: ${line}`);
  const plain = (text: string) => text.replaceAll(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign));
  return { labels: Object.fromEntries(labels.map((label) => [label[1]!, plain(label[2]!)])), value };
}
