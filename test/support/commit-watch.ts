import { endsRequest, type Message, statementOf, statusOf } from './postgres-wire.ts';

export type Commit = {
  /** Counts the commits of all connections from 1, in the order of requests. */
  readonly number: number;
  /** The statements that write, oldest first. */
  readonly statements: readonly string[];
};

// `for update` and `for no key update` only lock; `do update` follows an insert.
const writes =
  /\b(insert\s+into|(?<!\b(for|key|do)\s+)update|delete\s+from|merge\s+into|copy|truncate|create|alter|drop)\b/i;
const begins = /^\s*(begin|start\s+transaction)\b/i;
const commits = /^\s*(commit|end)\b/i;

/** Follows one connection and finds the messages that commit something. Requests may be pipelined. */
export function watchCommits(next: () => number) {
  /** The status after all requests sent so far. */
  let status: 'I' | 'T' | 'E' = 'I';
  let statement = '';
  let written: string[] = [];
  let refused = false;
  /** The commits of requests without a response, oldest first; null for a request that commits nothing. */
  const open: (Commit | null)[] = [];
  const commitOf = (): Commit | null => {
    if (writes.test(statement)) written.push(statement);
    const lasting = status === 'I' || commits.test(statement);
    if (!lasting || status === 'E' || written.length === 0) return null;
    return { number: next(), statements: written };
  };
  return {
    /** The commit that this message of the client requests, if any. */
    request(message: Message): Commit | null {
      statement = statementOf(message) ?? statement;
      if (!endsRequest(message)) return null;
      if (begins.test(statement)) status = 'T';
      const commit = commitOf();
      open.push(commit);
      return commit;
    },
    get committing() {
      return open.some((commit) => commit !== null);
    },
    /** The commit that this message of the server confirms, if any. */
    response(message: Message): Commit | null {
      if (message.type === 'E') refused = true;
      const reached = statusOf(message);
      if (reached === null) return null;
      const requested = open.shift() ?? null;
      if (open.length === 0) status = reached;
      if (reached !== 'I') return null;
      written = [];
      const confirmed = refused ? null : requested;
      refused = false;
      return confirmed;
    },
  };
}
