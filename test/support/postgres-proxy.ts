import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Commit, watchCommits } from './commit-watch.ts';
import { createFramer, endsRequest } from './postgres-wire.ts';

export type { Commit } from './commit-watch.ts';

/** Hooks between a program and Postgres. The connection waits for the promises that they return. */
type ProxyHooks = {
  /** Called before a request is forwarded that commits something. */
  beforeCommit?(commit: Commit): void | Promise<void>;
  /** Called after the server has confirmed the commit, before the program gets the confirmation. */
  afterCommit?(commit: Commit): void | Promise<void>;
  requested?(): void;
};

export type PostgresProxy = {
  /** The URL of the same database through the proxy. */
  readonly url: string;
  /**
   * Closes all connections; resolves when server and programs have closed their sides: none has a dead one in its pool.
   * Not to be awaited in a hook, which keeps its own connection open.
   */
  cut(): Promise<void>;
  /** Closes new connections at once, or accepts them again. */
  refuse(refusing: boolean): void;
  /** Leads new connections to another server, as a virtual address does after a failover. */
  lead(url: string): void;
  close(): Promise<void>;
};

/** Starts a proxy on loopback that recognizes commits in Postgres's protocol. */
export async function startPostgresProxy(url: string, hooks: ProxyHooks = {}): Promise<PostgresProxy> {
  let target = new URL(url);
  const sessions = new Set<Session>();
  let refusing = false;
  let commits = 0;
  const server = createServer({ noDelay: true }, (client) => {
    if (refusing) return client.destroy();
    const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    const session = { client, upstream };
    sessions.add(session);
    void Promise.all([closed(client), closed(upstream)]).then(() => sessions.delete(session));
    relay(session, hooks, () => ++commits);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ownUrl = new URL(url);
  ownUrl.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: ownUrl.href,
    async cut() {
      await Promise.all([...sessions].flatMap(({ client, upstream }) => [end(client), end(upstream)]));
    },
    refuse(wanted) {
      refusing = wanted;
    },
    lead(other) {
      target = new URL(other);
    },
    async close() {
      server.close();
      const ended = [...sessions].map(({ client, upstream }) => {
        client.destroy();
        return end(upstream);
      });
      await Promise.all(ended);
    },
  };
}

const closed = async (socket: Socket) => {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
};

async function end(socket: Socket): Promise<void> {
  socket.end();
  await closed(socket);
}

type Session = { readonly client: Socket; readonly upstream: Socket };

/** @param next numbers the commits of all sessions */
function relay({ client, upstream }: Session, hooks: ProxyHooks, next: () => number): void {
  const watch = watchCommits(next);
  const fromClient = createFramer('client');
  const fromServer = createFramer('server');

  async function forwardRequests() {
    for await (const chunk of client) {
      for (const message of fromClient(chunk)) {
        const commit = watch.request(message);
        if (commit) await hooks.beforeCommit?.(commit);
        if (!client.writable) return;
        upstream.write(message.bytes);
        if (endsRequest(message)) hooks.requested?.();
      }
    }
  }

  let held: Buffer[] = [];
  function forwardHeld() {
    if (client.writable) client.write(Buffer.concat(held));
    held = [];
  }

  async function forwardResponses() {
    for await (const chunk of upstream) {
      for (const message of fromServer(chunk)) {
        held.push(message.bytes);
        const commit = watch.response(message);
        if (commit) await hooks.afterCommit?.(commit);
      }
      // Holds the whole response to a commit: its first message would already confirm it.
      if (!watch.committing) forwardHeld();
    }
  }

  // If one side closes, in order or not, the other one is closed, too.
  forwardRequests()
    .catch(() => {})
    .finally(() => upstream.end());
  forwardResponses()
    .catch(() => {})
    .finally(() => {
      forwardHeld();
      client.end();
    });
  for (const socket of [client, upstream]) socket.on('error', () => {});
}
