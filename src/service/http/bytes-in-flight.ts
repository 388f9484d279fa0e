/** The bytes of one response, from its first until it is loaded. */
export type Reservation = {
  /** Waits, if too much is reserved, until the responses that began before are released. */
  add(bytes: number): Promise<void>;
  /** It is waiting now. */
  readonly isWaiting: boolean;
  release(): void;
};

/** Bounds the bytes of all responses from their first byte until they are loaded. */
export type BytesInFlight = { reserve(): Reservation };

/**
 * Parsed, they take some ten times as much: with this, eight of the largest responses at once stay below the
 * memory that `deploy` allows.
 */
const maxBytes = 8_000_000;

/** The oldest response is always read on: so all are read in the end, and one above the bound is, too. */
export function createBytesInFlight(): BytesInFlight {
  const open = new Set<Reservation>();
  let total = 0;
  let released = Promise.withResolvers<void>();
  return {
    reserve() {
      let own = 0;
      let isWaiting = false;
      const reservation: Reservation = {
        async add(bytes) {
          own += bytes;
          total += bytes;
          isWaiting = true;
          while (total > maxBytes && open.values().next().value !== reservation) await released.promise;
          isWaiting = false;
        },
        get isWaiting() {
          return isWaiting;
        },
        release() {
          if (!open.delete(reservation)) return;
          total -= own;
          released.resolve();
          released = Promise.withResolvers();
        },
      };
      open.add(reservation);
      return reservation;
    },
  };
}
