/** The place of a request in the order in which requests were made. */
export type Place = {
  /** Whether the responses of all requests before it are done with. */
  isFirst(): boolean;
  /** Resolves once it is; rejects with the signal's reason where that is aborted before. */
  untilFirst(): Promise<void>;
  /** Its response is done with. */
  leave(): void;
};

/**
 * Holds back large responses: one may be in memory at a time, that of the oldest request. By age and not by arrival,
 * because pages are loaded in their order: a page must never wait for one that is loaded after it.
 */
export function createRequestOrder(signal: AbortSignal): { enter(): Place } {
  const places = new Set<object>();
  let change = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => change.resolve());
  return {
    enter() {
      const place = {};
      places.add(place);
      const isFirst = () => places.values().next().value === place;
      return {
        isFirst,
        async untilFirst() {
          while (!isFirst()) {
            signal.throwIfAborted();
            await change.promise;
          }
        },
        leave() {
          places.delete(place);
          change.resolve();
          change = Promise.withResolvers();
        },
      };
    },
  };
}
