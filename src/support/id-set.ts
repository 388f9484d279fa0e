/** A set of whole numbers within 2^53 that takes sixteen bytes or so for each: a million clients fit in the memory of a night. */
export type IdSet = {
  readonly size: number;
  has(id: number): boolean;
  /** Gives false where it was in already. */
  add(id: number): boolean;
};

const empty = Number.NaN;

/** Open addressing with linear probing, at most two thirds full. */
export function createIdSet(): IdSet {
  let slots = new Float64Array(1024).fill(empty);
  let size = 0;

  /** Where the id is, or the free slot where it would be. */
  function place(id: number): number {
    const mask = slots.length - 1;
    let slot = scatter(id) & mask;
    while (!Number.isNaN(slots[slot]!) && slots[slot] !== id) slot = (slot + 1) & mask;
    return slot;
  }

  function grow(): void {
    const before = slots;
    slots = new Float64Array(before.length * 2).fill(empty);
    for (const id of before) if (!Number.isNaN(id)) slots[place(id)] = id;
  }

  return {
    get size() {
      return size;
    },
    has: (id) => slots[place(id)] === id,
    add(id) {
      const slot = place(id);
      if (slots[slot] === id) return false;
      slots[slot] = id;
      if (++size * 3 > slots.length * 2) grow();
      return true;
    },
  };
}

/** Spreads ids that follow each other, or share their last digits, over all slots (Fibonacci hashing of both halves). */
function scatter(id: number): number {
  // "| 0" takes the low half of any whole number, and is not the slow division of doubles that "%" is.
  const mixed = Math.imul((id | 0) ^ Math.imul((id / 2 ** 32) | 0, 0x85ebca6b), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
