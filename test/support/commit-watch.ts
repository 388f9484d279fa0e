import { endsRequest, type Message, statementOf, statusOf } from './postgres-wire.ts';

/** Something that a client sent to be made durable. */
export type Commit = {
  /** Of all connections together, from 1 on, in the order in which they were sent. */
  readonly number: number;
  /** The statements that write, oldest first. */
  readonly statements: readonly string[];
};

// Not `for update` and `for no key update`, which lock; `do update` follows an insert.
const writes =
  /\b(insert\s+into|(?<!\b(for|key|do)\s+)update|delete\s+from|merge\s+into|copy|truncate|create|alter|drop)\b/i;
const commits = /^\s*(commit|end)\b/i;

/** Follows one connection, and finds which of its messages commit something. */
export function watchCommits(next: () => number) {
  let status: 'I' | 'T' | 'E' = 'I';
  let statement = '';
  let written: string[] = [];
  let requested: Commit | null = null;
  let refused = false;
  return {
    /** The commit that this message of the client requests, if it does. */
    request(message: Message): Commit | null {
      statement = statementOf(message) ?? statement;
      if (!endsRequest(message)) return null;
      if (writes.test(statement)) written.push(statement);
      const lasting = status === 'I' || commits.test(statement);
      if (!lasting || status === 'E' || written.length === 0) return null;
      requested = { number: next(), statements: written };
      refused = false;
      return requested;
    },
    /** Whether the response to a commit is incomplete. */
    get committing() {
      return requested !== null;
    },
    /** The commit that this message of the server confirms, if it does. */
    response(message: Message): Commit | null {
      if (message.type === 'E') refused = true;
      status = statusOf(message) ?? status;
      if (message.type !== 'Z') return null;
      if (status === 'I') written = [];
      const confirmed = status === 'I' && !refused ? requested : null;
      requested = null;
      return confirmed;
    },
  };
}
