/**
 * Fetches what the keys name, at most `ahead` at once, and yields it in the order of the keys.
 * So no more than `ahead` results wait in memory. Keys are drawn as places become free, and may end meanwhile.
 */
export async function* fetchAhead<Key, Result>(
  keys: Iterator<Key>,
  ahead: number,
  fetch: (key: Key) => Promise<Result>,
): AsyncGenerator<readonly [Key, Result], void> {
  const underWay: { readonly key: Key; readonly result: Promise<Result> }[] = [];
  for (;;) {
    while (underWay.length < ahead) {
      const next = keys.next();
      if (next.done) break;
      const result = fetch(next.value);
      // Told when its turn comes; if it never does, nobody is left to tell.
      result.catch(() => {});
      underWay.push({ key: next.value, result });
    }
    const first = underWay.shift();
    if (first === undefined) return;
    yield [first.key, await first.result];
  }
}
