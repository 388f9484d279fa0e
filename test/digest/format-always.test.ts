import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFormat } from '../../src/digest/format.ts';
import { rounds } from '../support/rounds.ts';

test('every count reads back from its text', () => {
  const format = createFormat('en-GB', 'UTC');
  fc.assert(
    fc.property(fc.maxSafeNat(), (count) => {
      expect(Number(format.count(count).replaceAll(',', ''))).toBe(count);
    }),
    { numRuns: rounds(500) },
  );
});
