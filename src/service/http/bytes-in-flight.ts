/** One response that is read or used. */
export type Held = {
  /** Waits, if too much is held, until the responses that began before are released. */
  add(bytes: number): Promise<void>;
  /** It is waiting now. */
  readonly isWaiting: boolean;
  release(): void;
};

/** Bounds the bytes of all responses from their first byte until they are loaded. */
export type BytesInFlight = { hold(): Held };

/**
 * Parsed, they take some ten times as much: with this, eight of the largest responses at once stay below the
 * memory that `deploy` allows.
 */
const maxBytes = 8_000_000;

/** The oldest response is always read on: so all are read in the end, and one above the bound is, too. */
export function createBytesInFlight(): BytesInFlight {
  const open = new Set<Held>();
  let total = 0;
  let released = Promise.withResolvers<void>();
  return {
    hold() {
      let own = 0;
      let isWaiting = false;
      const held: Held = {
        async add(bytes) {
          own += bytes;
          total += bytes;
          isWaiting = true;
          while (total > maxBytes && open.values().next().value !== held) await released.promise;
          isWaiting = false;
        },
        get isWaiting() {
          return isWaiting;
        },
        release() {
          if (!open.delete(held)) return;
          total -= own;
          released.resolve();
          released = Promise.withResolvers();
        },
      };
      open.add(held);
      return held;
    },
  };
}
