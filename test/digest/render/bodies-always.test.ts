import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildContent } from '../../../src/digest/compose.ts';
import { digestHtml } from '../../../src/digest/render/html.ts';
import { digestText } from '../../../src/digest/render/text.ts';
import { rounds } from '../../support/rounds.ts';
import { everythingNamed } from '../busy-week.ts';
import { attached } from '../figures.ts';

test('whatever a campaign, a client or an account is called, neither body breaks', () => {
  const shapeOf = (name: string) => {
    const content = buildContent(everythingNamed(name), attached);
    const tags = digestHtml(content, 'cid:chart').match(/<[^>]*>/g);
    return { tags, lines: digestText(content).split('\n').length };
  };
  const shape = shapeOf('x');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (name) => {
      expect(shapeOf(name)).toEqual(shape);
    }),
    { numRuns: rounds(200) },
  );
});
