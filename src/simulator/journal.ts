import type { SimulatedAccount } from './dataset.ts';
import type { Operation, ServiceRequest } from './operations.ts';

/** A request that was answered, without its token. */
export type JournalEntry = {
  readonly at: Temporal.Instant;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly account: string | undefined;
  /** The query; `sidtoken` holds the account's name, or "unknown" for a token of nobody. */
  readonly params: Readonly<Record<string, string>>;
  /** The request's content type: the document names one (service.md 4), and none is refused. */
  readonly contentType: string | undefined;
  readonly status: number;
};

/** The entry of a request, without its token. */
export function journalEntry(
  request: ServiceRequest & Pick<JournalEntry, 'at' | 'contentType' | 'status'>,
): JournalEntry {
  const { at, method, path, operation, account, params, contentType, status } = request;
  const shown = withoutToken(params, account);
  return { at, method, path, operation, account: account?.name, params: shown, contentType, status };
}

function withoutToken(
  params: URLSearchParams,
  account: SimulatedAccount | undefined,
): Record<string, string> {
  const kept = Object.fromEntries(params);
  return params.has('sidtoken') ? { ...kept, sidtoken: account?.name ?? 'unknown' } : kept;
}
