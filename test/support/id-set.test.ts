import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdSet } from '../../src/support/id-set.ts';

const ids = fc.array(
  fc.oneof(
    fc.nat(50),
    fc.maxSafeNat(),
    // Around the largest that takes the narrow form.
    fc.nat(20).map((id) => id + 2 ** 32 - 10),
    fc.nat(1_000).map((id) => id * 2 ** 32),
  ),
  { maxLength: 3_000 },
);

describe('a set of ids', () => {
  it('is a set, whatever the ids', () => {
    fc.assert(
      fc.property(ids, fc.array(fc.nat(60)), (added, others) => {
        const known = new Set<number>();
        const set = createIdSet();
        for (const id of added) {
          expect(set.add(id)).toBe(!known.has(id));
          known.add(id);
          expect(set.size).toBe(known.size);
        }
        for (const id of [...others, ...added]) expect(set.has(id)).toBe(known.has(id));
      }),
    );
  });

  it('holds a million ids', () => {
    const set = createIdSet();
    for (let id = 0; id < 1_000_000; id++) set.add(id * 7);
    expect([set.size, set.has(6_999_993), set.has(6_999_994)]).toEqual([1_000_000, true, false]);
  });
});
