import type { SimulatedAccount } from './dataset.ts';

/** The service's operations (service.md 4); `unknown` is any other path. */
export type Operation = 'getClients' | 'campaignSummary' | 'unknown';

/** A request as the service sees it. */
export type ServiceRequest = {
  readonly method: string;
  /** Path and query as they were sent, and so with the token in them. */
  readonly target: string;
  readonly path: string;
  readonly operation: Operation;
  /** Whose token it is, if anyone's. */
  readonly account: SimulatedAccount | undefined;
  /** Whether that token is still good: the document leaves its lifetime open (service.md 5). */
  readonly admitted: boolean;
  readonly params: URLSearchParams;
  /** Which request of this operation it is, counted from 1. */
  readonly nth: number;
};

/** The operation that a path names, below whatever base path (service.md 4). */
export function operationOf(path: string): Operation {
  if (path.endsWith('/getClients.wr')) return 'getClients';
  if (path.endsWith('/campaignSummary.wr')) return 'campaignSummary';
  return 'unknown';
}

/** Whether it asks one of the two operations as the document says; all else is refused in any variant. */
export function asksAnOperation({ method, operation }: ServiceRequest): boolean {
  return method === 'GET' && operation !== 'unknown';
}

/** The parameter as a whole number; undefined where it is absent, or anything else. */
export function numberIn(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** A copy of the query with one parameter set. */
export function withParameter(params: URLSearchParams, name: string, value: number): URLSearchParams {
  const copy = new URLSearchParams(params);
  copy.set(name, String(value));
  return copy;
}
