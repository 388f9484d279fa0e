import { describe, expect, test } from 'vitest';
import { digestHtml } from '../../src/digest/render/html.ts';
import type { DigestFigures } from '../../src/model/digest.ts';
import { contentOf } from '../digest/figures.ts';
import { digests, mails } from '../digest/mails.ts';
import { outputOf } from './program.ts';

const options = ['-dump', '-cols', '100', '-T', 'text/html', '-I', 'UTF-8', '-O', 'UTF-8'];
const inLine = (text: string) => text.replaceAll(/\s+/g, ' ');
const shown = async (html: string) => inLine(await outputOf('w3m', options, html));

/** What a reader meets of a digest, from first to last. */
function landmarks(figures: DigestFigures): string[] {
  const content = contentOf(figures);
  const { headline, lastDays, tables } = content;
  return [
    content.date,
    ...(headline === null ? [] : [headline]),
    ...content.notes.map(({ title }) => title),
    ...content.tiles.map(({ title }) => title),
    ...[lastDays, ...tables].flatMap((table) => (table === null ? [] : [table.heading])),
    ...content.attention.items.map(({ title }) => title),
    ...content.campaigns.map(({ heading }) => heading),
    ...content.closing,
  ].map(inLine);
}

describe('w3m, which has neither styles nor pictures', () => {
  test.each(Object.entries(digests))('shows all of %s, in its order', async (_, figures) => {
    const page = await shown(digestHtml(contentOf(figures), 'cid:chart'));
    let from = 0;
    for (const landmark of landmarks(figures)) {
      const at = page.indexOf(landmark, from);
      expect(at, `"${landmark}" behind character ${from} of: ${page}`).toBeGreaterThan(-1);
      from = at + landmark.length;
    }
  });

  test.each(Object.entries(mails))(
    'shows nothing of %s that is meant for other programs',
    async (_, mail) => {
      expect(await shown((await mail()).html)).not.toMatch(/mso|\[if|endif|nbsp|<t[dr]|colou?r:|style/i);
    },
  );

  test('has the words of the chart in place of its picture', async () => {
    const figures = digests['a busy day']!;
    const page = await shown(digestHtml(contentOf(figures), 'cid:chart'));
    expect(page).toMatch(/Thu 12 Nov \(incomplete\): [\d,]+, [\d,]+, [\d.]+%; Fri 13 Nov: /);
  });
});
