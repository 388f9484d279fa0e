import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packCsv } from '../../../src/digest/render/pack-csv.ts';
import { rounds } from '../../support/rounds.ts';
import { inChunks, unzipped } from '../unzipped.ts';

const file = { name: 'año-2026-11-19.csv', day: '2026-11-19' };

test('the CSV of a message is whole, whatever its size and the bound', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 900 }),
      fc.integer({ min: 1, max: 900 }),
      fc.integer({ min: 1, max: 50 }),
      async (bytes, bound, size) => {
        const content = Buffer.from(bytes);
        const packed = await packCsv(inChunks(content, size), file, bound);
        if (packed.kind === 'too large') expect(content.length).toBeGreaterThan(bound);
        else {
          expect(packed.content.length).toBeLessThanOrEqual(bound);
          const whole =
            packed.kind === 'zip' ? unzipped(packed.content).content : Buffer.from(packed.content);
          expect(whole).toEqual(content);
        }
      },
    ),
    { numRuns: rounds(300) },
  );
});
