import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Commit, watchCommits } from './commit-watch.ts';
import { createFramer, endsRequest } from './postgres-wire.ts';

export type { Commit } from './commit-watch.ts';

/** Called between a program and Postgres; what they return is waited for, and that connection with it. */
export type ProxyHooks = {
  /** Before the request is forwarded that makes something lasting. */
  beforeCommit?(commit: Commit): void | Promise<void>;
  /** After the server has confirmed it, and before the program gets the confirmation. */
  afterCommit?(commit: Commit): void | Promise<void>;
  /** Just after a request was forwarded; not waited for. */
  requested?(): void;
};

export type PostgresProxy = {
  /** The same database by way of the proxy. */
  readonly url: string;
  /** Ends all connections; resolves when the server has ended its part of each. */
  cut(): Promise<void>;
  /** From now on new connections are cut at once, or no longer. */
  refuse(refusing: boolean): void;
  /** From now on nothing gets through, in either direction, and no connection is closed. */
  fallSilent(): void;
  close(): Promise<void>;
};

/** Stands on loopback between a program and Postgres, and understands just enough to see commits go by. */
export async function startPostgresProxy(url: string, hooks: ProxyHooks = {}): Promise<PostgresProxy> {
  const target = new URL(url);
  const sessions = new Set<Session>();
  let refusing = false;
  let commits = 0;
  let passage: Promise<void> | undefined;
  let reopen = () => {};
  const server = createServer({ noDelay: true }, (client) => {
    if (refusing) return client.destroy();
    const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    const session = { client, upstream };
    sessions.add(session);
    upstream.once('close', () => sessions.delete(session));
    relay(session, hooks, { next: () => ++commits, passage: () => passage });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ownUrl = new URL(url);
  ownUrl.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = async () => {
    const ended = [...sessions].map(({ client, upstream }) => {
      client.destroy();
      return new Promise((resolve) => upstream.once('close', resolve).end());
    });
    reopen();
    await Promise.all(ended);
  };
  return {
    url: ownUrl.href,
    cut,
    refuse(wanted) {
      refusing = wanted;
    },
    fallSilent() {
      ({ promise: passage, resolve: reopen } = Promise.withResolvers<void>());
    },
    async close() {
      server.close();
      await cut();
    },
  };
}

type Session = { readonly client: Socket; readonly upstream: Socket };
/** What the sessions of a proxy share: how commits are numbered, and what all that passes waits for. */
type Shared = { readonly next: () => number; readonly passage: () => Promise<void> | undefined };

function relay({ client, upstream }: Session, hooks: ProxyHooks, { next, passage }: Shared): void {
  const watch = watchCommits(next);
  const fromClient = createFramer('client');
  const fromServer = createFramer('server');

  async function forwardRequests() {
    for await (const chunk of client) {
      for (const message of fromClient(chunk)) {
        const commit = watch.request(message);
        if (commit) await hooks.beforeCommit?.(commit);
        await passage();
        if (client.destroyed) return;
        upstream.write(message.bytes);
        if (endsRequest(message)) hooks.requested?.();
      }
    }
  }

  let held: Buffer[] = [];
  async function forwardHeld() {
    await passage();
    if (!client.destroyed) client.write(Buffer.concat(held));
    held = [];
  }

  async function forwardResponses() {
    for await (const chunk of upstream) {
      for (const message of fromServer(chunk)) {
        held.push(message.bytes);
        const commit = watch.response(message);
        if (commit) await hooks.afterCommit?.(commit);
      }
      // The response to a commit is forwarded as a whole: its first message confirms it already.
      if (!watch.committing) await forwardHeld();
    }
  }

  // Whichever side ends, in order or not, the other one learns of it.
  forwardRequests()
    .catch(() => {})
    .finally(async () => {
      await passage();
      upstream.end();
    });
  forwardResponses()
    .catch(() => {})
    .finally(async () => {
      await forwardHeld();
      client.end();
    });
  for (const socket of [client, upstream]) socket.on('error', () => {});
}
