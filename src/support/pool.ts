/**
 * Runs `work` over `items`, at most `concurrency` at once, in order of the items.
 * The first rejection, or an aborted `signal`, stops the taking of further items; what is in flight ends first.
 */
export async function eachConcurrently<T>(
  items: Iterable<T>,
  concurrency: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    while (!failed && !signal.aborted) {
      const next = queue.next();
      if (next.done) return;
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  const rejection = ended.find((outcome) => outcome.status === 'rejected');
  if (rejection) throw rejection.reason;
  signal.throwIfAborted();
}
