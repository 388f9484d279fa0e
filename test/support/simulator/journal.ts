import type { Middleware, ServiceRequest } from '../../../src/simulator/middleware.ts';

/** A request with the status of its response, without its token. */
export type JournalEntry = Pick<ServiceRequest, 'operation' | 'account'> & {
  readonly at: Temporal.Instant;
  /** The query. `sidtoken` is the account's name, even if the token has expired, or "unknown". */
  readonly params: Readonly<Record<string, string>>;
  /** 0 if the connection was dropped before a response. */
  readonly status: number;
};

/** Adds each request to the journal once it has its response. */
export function recordIn(journal: JournalEntry[], now: () => Temporal.Instant): Middleware {
  return async ({ operation, account, params }, next) => {
    const query: Record<string, string> = Object.fromEntries(params);
    if (params.has('sidtoken')) query.sidtoken = account ?? 'unknown';
    const record = (status: number) => {
      journal.push({
        at: now(),
        operation,
        account,
        params: query,
        status,
      });
    };
    try {
      const response = await next();
      record(response.status ?? 200);
      return response;
    } catch (error) {
      record(500);
      throw error;
    }
  };
}
