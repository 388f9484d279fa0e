import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileName } from '../../src/digest/compose.ts';
import { periodOf } from '../../src/model/period.ts';
import { rounds } from '../support/rounds.ts';

test('the name of a digest’s files is safe on every file system, whatever the digest is called', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (name) => {
      expect(fileName({ name, period: periodOf('day', '2026-11-19') })).toMatch(
        /^[\p{L}\p{N}-]*-2026-11-19$/u,
      );
    }),
    { numRuns: rounds(500) },
  );
});
