import { Socket } from 'node:net';
import { fellSilent } from '../failures.ts';

/** Longer than any statement may take: `inTransaction` has the server end one after five minutes. */
const silenceTimeoutMs = 330_000;

/** The sockets of a pool. */
export type Sockets = {
  /** A new one, for pg to connect. */
  open(): Socket;
  /** Ends all that are open: what waits on them fails with this. */
  cut(reason: Error): void;
};

/**
 * Sockets on which nobody waits for ever: a database, a pooler or a network that falls silent closes no connection.
 * pg's own `query_timeout` leaves a connection as it is, and whatever runs next, even the rollback, waits as long again.
 *
 * @param silenceMs how long nothing may move on one; 0 for ever
 */
export function createSockets(silenceMs = silenceTimeoutMs): Sockets {
  const sockets = new Set<Socket>();
  return {
    open() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket.setTimeout(silenceMs, () => socket.destroy(fellSilent(silenceMs)));
    },
    cut(reason) {
      for (const socket of sockets) socket.destroy(reason);
    },
  };
}
