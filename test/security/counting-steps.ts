import { unseededHash } from './bodies.ts';

/**
 * Steps that Maps and Sets take within `work`: one for each entry, and for a key that is a number one more for each
 * that has the same hash, for V8 walks along these.
 */
export function countingSteps(work: () => void): number {
  let steps = 0;
  const chains = new WeakMap<object, Uint32Array>();
  const count = (collection: object, key: unknown) => {
    steps++;
    if (typeof key !== 'number') return;
    const chain = chains.get(collection) ?? new Uint32Array(2 ** 17);
    chains.set(collection, chain);
    steps += chain[unseededHash(key) & 0x1ffff]!++;
  };
  const { set } = Map.prototype;
  const { add } = Set.prototype;
  Map.prototype.set = function (key, value) {
    count(this, key);
    return set.call(this, key, value);
  };
  Set.prototype.add = function (value) {
    count(this, value);
    return add.call(this, value);
  };
  try {
    work();
  } finally {
    Map.prototype.set = set;
    Set.prototype.add = add;
  }
  return steps;
}
