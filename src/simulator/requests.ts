import type { IncomingMessage } from 'node:http';
import type { Dataset } from './dataset.ts';
import { MOVED } from './faults.ts';
import type { ServiceRequest, ServiceResponse } from './middleware.ts';

/** The path of the operations; any other path is refused. */
export const BASE_PATH = '/api';

/** Accepted tokens by account name, besides the data set's own. */
export type FurtherTokens = Readonly<Record<string, readonly string[]>>;

/** A request with its response, without its token. */
export type JournalEntry = Pick<ServiceRequest, 'method' | 'path' | 'operation' | 'account'> & {
  readonly at: Temporal.Instant;
  /** The query. `sidtoken` is the account's name, even if the token has expired, or "unknown". */
  readonly params: Readonly<Record<string, string>>;
  /** The request's content type: the document names one (service.md 4), but any is accepted. */
  readonly contentType: string | undefined;
  /** 0 if the connection was dropped before a response. */
  readonly status: number;
  readonly injectedBy: string | undefined;
};

/**
 * Reads requests and finds the account of each token; the document doesn't show how to get one (service.md 5). It reads
 * the data set's accounts each time, because a test may change them while the service runs.
 */
export function createRequestReader(dataset: Dataset, further: FurtherTokens = {}) {
  const revoked = new Set<string>();
  const counts = { getClients: 0, campaignSummary: 0, unknown: 0 };
  const ownerOf = (token: string) =>
    dataset.accounts.find((account) => account.token === token || further[account.name]?.includes(token));
  return {
    read({ method = '', url: target = '' }: IncomingMessage): ServiceRequest {
      const path = target.split('?', 1)[0] ?? '';
      const params = new URLSearchParams(target.slice(path.length));
      const operation = operationOf(path);
      counts[operation] += 1;
      const token = params.get('sidtoken') ?? '';
      const account = ownerOf(token)?.name;
      const accepted = account !== undefined && !revoked.has(token);
      return { method, target, path, operation, account, accepted, params, nth: counts[operation], dataset };
    },
    /** Revokes a token; throws if no account has it. */
    revoke(token: string): void {
      if (!ownerOf(token)) throw new Error('No account has the token that is to be revoked.');
      revoked.add(token);
    },
  };
}

function operationOf(path: string): ServiceRequest['operation'] {
  const named = path.startsWith(MOVED) ? path.slice(MOVED.length) : path;
  if (named === `${BASE_PATH}/getClients.wr`) return 'getClients';
  return named === `${BASE_PATH}/campaignSummary.wr` ? 'campaignSummary' : 'unknown';
}

export function journalEntry(
  at: Temporal.Instant,
  contentType: string | undefined,
  { method, path, operation, account, params }: ServiceRequest,
  { status = 200, injectedBy }: ServiceResponse,
): JournalEntry {
  const query: Record<string, string> = Object.fromEntries(params);
  if (params.has('sidtoken')) query.sidtoken = account ?? 'unknown';
  return { at, method, path, operation, account, params: query, contentType, status, injectedBy };
}
