import PQueue from 'p-queue';

/**
 * Runs `work` over `items`, at most `concurrency` at once, in order of the items.
 * Takes no further item after the first rejection or once `signal` is aborted; what is in flight ends first.
 */
export async function eachConcurrently<T>(
  items: Iterable<T>,
  concurrency: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  const queue = new PQueue({ concurrency });
  let firstError: { readonly reason: unknown } | undefined;
  queue.addEventListener('error', (event) => {
    firstError ??= { reason: event.detail };
  });
  try {
    for (const item of items) {
      // Its rejection is the event above.
      queue.add(() => work(item)).catch(() => {});
      // Items are drawn only when there is room for them: p-queue itself would hold them all.
      while (queue.pending >= concurrency) await nextEnd(queue);
      if (firstError !== undefined || signal.aborted) break;
    }
  } finally {
    await queue.onIdle();
  }
  if (firstError !== undefined) throw firstError.reason;
  signal.throwIfAborted();
}

/** Resolves when a running task has ended. */
function nextEnd(queue: PQueue): Promise<unknown> {
  return new Promise((resolve) => queue.addEventListener('next', resolve, { once: true }));
}

/**
 * Fetches what the keys name, at most `ahead` at once, and yields it in the order of the keys.
 * So no more than `ahead` results wait in memory. Keys are drawn as there is room for them, and may end meanwhile.
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
      // Thrown when it is awaited below; if the caller stops before that, nobody needs it.
      result.catch(() => {});
      underWay.push({ key: next.value, result });
    }
    const [first] = underWay;
    if (first === undefined) return;
    yield [first.key, await first.result];
    underWay.shift();
  }
}
