/**
 * A set of whole numbers from 0 to 2^53 that takes some eight bytes for each below 2^32, and twice that for larger ones: a
 * million clients fit in the memory of a night.
 */
export type IdSet = {
  readonly size: number;
  has(id: number): boolean;
  /** Returns false if the id was already present. */
  add(id: number): boolean;
};

/** A set that is only read. */
export type IdLookup = Pick<IdSet, 'size' | 'has'>;

/** Open addressing with linear probing, at most two thirds full. A slot holds an id plus one; 0 is a free one. */
export function createIdSet(): IdSet {
  let slots: Uint32Array | Float64Array = new Uint32Array(1024);
  let size = 0;

  /** Where the id is, or the free slot where it would be. */
  function place(id: number): number {
    const mask = slots.length - 1;
    let slot = scatter(id) & mask;
    while (slots[slot] !== 0 && slots[slot] !== id + 1) slot = (slot + 1) & mask;
    return slot;
  }

  function moveTo(larger: Uint32Array | Float64Array): void {
    const before = slots;
    slots = larger;
    for (const held of before) if (held !== 0) slots[place(held - 1)] = held;
  }

  return {
    get size() {
      return size;
    },
    has: (id) => slots[place(id)] === id + 1,
    add(id) {
      if (id >= largestNarrow && slots instanceof Uint32Array) moveTo(new Float64Array(slots.length));
      const slot = place(id);
      if (slots[slot] !== 0) return false;
      slots[slot] = id + 1;
      const { length } = slots;
      if (++size * 3 > length * 2)
        moveTo(slots instanceof Uint32Array ? new Uint32Array(length * 2) : new Float64Array(length * 2));
      return true;
    },
  };
}

const largestNarrow = 2 ** 32 - 1;

/** Spreads ids that follow each other, or share their last digits, over all slots (Fibonacci hashing of both halves). */
function scatter(id: number): number {
  // "| 0" takes the low half of any whole number, and is not the slow division of doubles that "%" is.
  const mixed = Math.imul((id | 0) ^ Math.imul((id / 2 ** 32) | 0, 0x85ebca6b), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
