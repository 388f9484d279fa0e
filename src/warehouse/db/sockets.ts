import { Socket } from 'node:net';
import { fellSilent } from '../failures.ts';

/** Longer than any statement: `inTransaction` lets the server end one after five minutes. */
const silenceTimeoutMs = 330_000;

/** The sockets of a pool. */
export type Sockets = {
  /** Returns a new socket, for pg to connect. */
  open(): Socket;
  /** Closes all open sockets: whatever waits on them fails with `reason`. */
  cut(reason: Error): void;
};

/**
 * Creates sockets with a timeout: a database, a pooler or a network that falls silent closes no connection.
 * pg's own `query_timeout` leaves the connection open: the next query, even a rollback, waits as long again.
 *
 * @param silenceMs timeout if nothing moves on a socket; 0 for none
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
