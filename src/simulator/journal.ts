import type { SimulatedAccount } from './dataset.ts';
import type { Operation, ServiceRequest } from './request.ts';

/** A request that was answered, without its token. */
export type JournalEntry = {
  readonly at: Temporal.Instant;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly account: string | undefined;
  /** The query; `sidtoken` holds its owner's name though it be expired, or "unknown" for a token of nobody. */
  readonly params: Readonly<Record<string, string>>;
  /** The request's content type: the document names one (service.md 4), and none is refused. */
  readonly contentType: string | undefined;
  /** 0 where the connection was dropped before any answer. */
  readonly status: number;
  /** The variant or the kind of scripted fault that took the service's own answer away or spoilt it. */
  readonly spoiltBy: string | undefined;
};

type Told = Pick<JournalEntry, 'at' | 'contentType' | 'status' | 'spoiltBy'>;

/** The entry of a request, without its token. */
export function journalEntry(request: ServiceRequest, told: Told): JournalEntry {
  const { method, path, operation, account, params } = request;
  const shown = withoutToken(params, account);
  return { method, path, operation, account: account?.name, params: shown, ...told };
}

function withoutToken(
  params: URLSearchParams,
  account: SimulatedAccount | undefined,
): Record<string, string> {
  const kept = Object.fromEntries(params);
  return params.has('sidtoken') ? { ...kept, sidtoken: account?.name ?? 'unknown' } : kept;
}
