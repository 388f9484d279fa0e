/** A message of Postgres's protocol; a client's first message has no type. */
export type Message = { readonly type: string; readonly bytes: Buffer };

export function createFramer(from: 'client' | 'server'): (chunk: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0);
  let typed = from === 'server';
  return (chunk) => {
    const messages: Message[] = [];
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = typed ? 1 : 0;
      if (rest.length < head + 4) return messages;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return messages;
      messages.push({ type: typed ? String.fromCharCode(rest[0]!) : '', bytes: rest.subarray(0, length) });
      rest = rest.subarray(length);
      typed = true;
    }
  };
}

/** The SQL of a Query or Parse; null for other messages. */
export function statementOf({ type, bytes }: Message): string | null {
  if (type === 'Q') return bytes.toString('utf8', 5, bytes.length - 1);
  if (type !== 'P') return null;
  const start = bytes.indexOf(0, 5) + 1;
  return bytes.toString('utf8', start, bytes.indexOf(0, start));
}

/** The server acts on this message: a Query, or the Sync after Parse, Bind and Execute. */
export function endsRequest({ type }: Message): boolean {
  return type === 'Q' || type === 'S';
}

/** The status in ReadyForQuery: idle, in a transaction, in a failed one; null for other messages. */
export function statusOf({ type, bytes }: Message): 'I' | 'T' | 'E' | null {
  return type === 'Z' ? (String.fromCharCode(bytes[5]!) as 'I' | 'T' | 'E') : null;
}
