import PQueue from 'p-queue';

/**
 * Runs `work` over `items` in their order, at most `concurrency` at once. After the first rejection or abort it
 * takes no further item, and waits for those in flight.
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
      // Draws items only when there is room: p-queue itself would hold them all.
      while (queue.pending >= concurrency)
        await new Promise((resolve) => queue.addEventListener('next', resolve, { once: true }));
      if (firstError !== undefined || signal.aborted) break;
    }
  } finally {
    await queue.onIdle();
  }
  if (firstError !== undefined) throw firstError.reason;
  signal.throwIfAborted();
}

/** Lets work pass, but none while something runs exclusively. */
export type Gate = {
  pass<T>(work: () => Promise<T>): Promise<T>;
  /** Waits for the work that has passed, and lets further work pass only at the end. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
};

export function createGate(): Gate {
  const queue = new PQueue();
  return {
    pass: (work) => queue.add(work),
    async exclusively(work) {
      queue.pause();
      await queue.onPendingZero();
      try {
        return await work();
      } finally {
        queue.start();
      }
    },
  };
}

/**
 * Fetches the results of keys, at most `ahead` at once, and yields them in the order of the keys: no more than
 * `ahead` results wait in memory. It draws keys as there is room, so they may end meanwhile.
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
      // Awaited below, unless the caller stops before.
      result.catch(() => {});
      underWay.push({ key: next.value, result });
    }
    const [first] = underWay;
    if (first === undefined) return;
    yield [first.key, await first.result];
    underWay.shift();
  }
}
