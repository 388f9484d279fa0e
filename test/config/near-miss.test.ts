import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { didYouMean, isWithinEdits } from '../../src/config/near-miss.ts';

test('a name is suggested whatever its case, and none for one that is nothing like the known ones', () => {
  const known = ['main', 'Campaigns', 'csv', 'x1'];
  expect(didYouMean('Mian', known)).toBe(' (did you mean main?)');
  expect(didYouMean('campagns', known)).toBe(' (did you mean Campaigns?)');
  expect(didYouMean('cvs', known)).toBe(' (did you mean csv?)');
  expect(didYouMean('x2', known)).toBe('');
  expect(didYouMean('weekly', known)).toBe('');
});

describe('how far two names are apart', () => {
  const name = fc.array(fc.constantFrom('A', 'B', '_'), { maxLength: 7 }).map((letters) => letters.join(''));

  test('counts letters added, lost, replaced, and swapped with their neighbour', () => {
    const apart: readonly [one: string, other: string, edits: number][] = [
      ['DIGSET', 'DIGEST', 1],
      ['TIMEZONE', 'TIME_ZONE', 1],
      ['RETRYS', 'RETRIES', 2],
      ['ABC', 'XAC', 2],
      ['ABC', 'BXC', 2],
      ['', 'ABC', 3],
    ];
    for (const [one, other, edits] of apart) {
      expect(isWithinEdits(one, other, edits), one).toBe(true);
      expect(isWithinEdits(one, other, edits - 1), one).toBe(false);
    }
  });

  test('is nothing for the same name alone, the same both ways, and never more than the longer name', () => {
    fc.assert(
      fc.property(name, name, fc.nat({ max: 3 }), (one, other, edits) => {
        expect(isWithinEdits(one, other, 0)).toBe(one === other);
        expect(isWithinEdits(other, one, edits)).toBe(isWithinEdits(one, other, edits));
        if (isWithinEdits(one, other, edits))
          expect(Math.abs(one.length - other.length)).toBeLessThanOrEqual(edits);
        expect(isWithinEdits(one, other, Math.max(one.length, other.length))).toBe(true);
      }),
    );
  });

  test('is at most one edit for one mistake', () => {
    fc.assert(
      fc.property(
        name,
        fc.nat({ max: 6 }),
        fc.constantFrom('A', 'X', ''),
        fc.nat({ max: 1 }),
        (name, at, letter, lost) => {
          const mistaken = name.slice(0, at) + letter + name.slice(at + lost);
          expect(isWithinEdits(name, mistaken, 1)).toBe(true);
        },
      ),
    );
  });
});
