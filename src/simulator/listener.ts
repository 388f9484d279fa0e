import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Intercept } from './intercept.ts';
import { type JournalEntry, journalEntry } from './journal.ts';
import type { Service } from './operations.ts';
import { errorReply, type Reply } from './reply.ts';
import { asksAnOperation, type Operation, operationOf, type ServiceRequest } from './request.ts';
import type { Spoil } from './scripted-faults.ts';
import { send } from './send.ts';
import type { Keyring } from './tokens.ts';
import type { NamedVariant } from './variant.ts';

export type ListenerParts = {
  readonly service: Service;
  readonly keyring: Keyring;
  readonly variants: readonly NamedVariant[];
  /** Scripted faults strike before the intercept is asked, and the intercept before the service. */
  readonly spoil: Spoil;
  readonly intercept: Intercept | undefined;
  readonly latencyMs: number;
  readonly journal: JournalEntry[];
  readonly now: () => Temporal.Instant;
};

/** Answers HTTP requests and enters them in the journal. */
export function createListener(
  parts: ListenerParts,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const read = createRequestReader(parts);
  return async (request, response) => {
    request.resume();
    const asks = read(request);
    if (parts.latencyMs > 0) await setTimeout(parts.latencyMs, undefined, { ref: false });
    const reply = await replySafely(parts, asks);
    const { status, spoiltBy } = reply;
    const contentType = request.headers['content-type'];
    parts.journal.push(journalEntry(asks, { at: parts.now(), contentType, status, spoiltBy }));
    await send(request, response, reply);
  };
}

function createRequestReader({ keyring, variants }: ListenerParts) {
  const asked: Record<Operation, number> = { getClients: 0, campaignSummary: 0, unknown: 0 };
  return ({ method = '', url = '' }: IncomingMessage): ServiceRequest => {
    const [path, params] = splitTarget(url);
    const operation = operationOf(path);
    asked[operation] += 1;
    const token = params.get('sidtoken') ?? '';
    const account = keyring.ownerOf(token);
    const base = { method, target: url, path, operation, account, params, nth: asked[operation] };
    const admitted = keyring.accepts(token);
    const request = { ...base, admitted };
    if (!account || !admitted || !asksAnOperation(request)) return request;
    // Each variant is asked, for it may count.
    const refusing = variants.filter(({ admits }) => admits?.(account, token) === false);
    return { ...base, admitted: refusing.length === 0 };
  };
}

function splitTarget(target: string): [path: string, params: URLSearchParams] {
  const mark = target.indexOf('?');
  return mark < 0
    ? [target, new URLSearchParams()]
    : [target.slice(0, mark), new URLSearchParams(target.slice(mark + 1))];
}

/** A fault in a test's intercept or data set shows as a 500; it must not end the process. */
async function replySafely(parts: ListenerParts, request: ServiceRequest): Promise<Reply> {
  try {
    return await parts.spoil(request, async () => {
      const canned = await parts.intercept?.(interceptedRequest(request));
      return canned ? { status: 200, ...canned } : parts.service(request);
    });
  } catch (error) {
    return errorReply(500, `The simulator failed: ${String(error)}`);
  }
}

function interceptedRequest({ operation, account, params, nth }: ServiceRequest) {
  return { operation, account: account?.name, params: new URLSearchParams(params), nth };
}
