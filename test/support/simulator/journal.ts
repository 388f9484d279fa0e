import type { Middleware, ServiceRequest, ServiceResponse } from '../../../src/simulator/middleware.ts';

/** A request with its response, without its token. */
export type JournalEntry = Pick<
  ServiceRequest,
  'method' | 'path' | 'operation' | 'account' | 'contentType'
> & {
  readonly at: Temporal.Instant;
  /** The query. `sidtoken` is the account's name, even if the token has expired, or "unknown". */
  readonly params: Readonly<Record<string, string>>;
  /** 0 if the connection was dropped before a response. */
  readonly status: number;
  /** The outermost middleware that changed the request or the response. */
  readonly injectedBy: string | undefined;
};

type InjectedResponse = ServiceResponse & { readonly injectedBy?: string };

/** Adds each request to the journal once it has its response. */
export function recordIn(journal: JournalEntry[], now: () => Temporal.Instant): Middleware {
  return async (request, next) => {
    const record = ({ status = 200, injectedBy }: InjectedResponse) => {
      const { method, path, operation, account, contentType, params } = request;
      const query: Record<string, string> = Object.fromEntries(params);
      if (params.has('sidtoken')) query.sidtoken = account ?? 'unknown';
      journal.push({
        at: now(),
        method,
        path,
        operation,
        account,
        contentType,
        params: query,
        status,
        injectedBy,
      });
    };
    try {
      const response = await next();
      record(response);
      return response;
    } catch (error) {
      record({ status: 500 });
      throw error;
    }
  };
}

/** Marks each response that the middleware replaced or changed with its name. */
export function named(name: string, middleware: Middleware): Middleware {
  return async (request, next) => {
    let plain: ServiceResponse | undefined;
    const response = await middleware(request, async (changed = request) => {
      const inner = await next(changed);
      if (changed === request) plain = inner;
      return inner;
    });
    if (response === undefined || response === plain) return response;
    const injected: InjectedResponse = { ...response, injectedBy: name };
    return injected;
  };
}
