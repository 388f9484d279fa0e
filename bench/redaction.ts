import { hash } from 'node:crypto';
import { createRedactor } from '../src/support/redaction.ts';
import type { Line, Section } from './tables.ts';

const rows = JSON.stringify(
  Array.from({ length: 9_000 }, (_, index) => ({
    callsetid: 100_000 + index,
    campaign: `Reminders of ${index}, north / south`,
    attempts: index % 1_000,
    busies: index % 50,
    connects: index % 300,
    liveanswers: index % 200,
  })),
);
const escaped = (text: string) =>
  text.replaceAll(/./gs, (sign) => `\\u00${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Texts without a secret, as nearly all are. */
const texts: Readonly<Record<string, string>> = {
  'JSON rows': rows,
  'JSON rows of PHP': rows.replaceAll('/', '\\/').replaceAll('Reminders', 'Se\\u00f1ales'),
  'JSON in escapes': escaped(rows.slice(0, 160_000)),
  'a page of HTML': '<p>A &amp; B <a href="/x?a=1&amp;b=c%20d">e&nbsp;f</a></p>\n'.repeat(18_000),
};

/** The clock of CPU time ticks every few milliseconds. */
const repeats = 20;

/** Measures what a megabyte takes next to 1, 40 and 2,000 tokens. */
export async function measureRedaction(): Promise<Section[]> {
  const lines: Line[] = [];
  for (const count of [1, 40, 2_000]) {
    const redactor = createRedactor();
    for (let index = 0; index < count; index++) redactor.learn(hash('sha256', `${index}`, 'base64'));
    for (const [what, text] of Object.entries(texts)) {
      const before = process.cpuUsage().user;
      for (let run = 0; run < repeats; run++)
        if (redactor.redact(text) !== text) throw new Error(`a secret in ${what}`);
      const loadMs = ((process.cpuUsage().user - before) / 1e3 / repeats / text.length) * 1e6;
      lines.push({ what: `${what}, ${count} tokens`, figures: { loadMs } });
    }
  }
  return [{ title: 'Redaction: a megabyte', lines, targets: [] }];
}
