import type { Dataset } from './dataset.ts';

export type ServiceRequest = {
  readonly method: string;
  /** Path and query as sent, token included. */
  readonly target: string;
  readonly path: string;
  /** One of the two operations (service.md 4); `unknown` for any other path. */
  readonly operation: 'getClients' | 'campaignSummary' | 'unknown';
  readonly account: string | undefined;
  /** The token is still valid: the document leaves its lifetime open (service.md 5). */
  readonly accepted: boolean;
  readonly params: URLSearchParams;
  /** The request's number among those for the same operation, from 1. */
  readonly nth: number;
  readonly dataset: Dataset;
};

/** An envelope (service.md 2.2, 2.3) or a record of its list. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type ServiceResponse = {
  /** 200 by default. */
  readonly status?: number;
  /** JSON by default. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the envelope. A body in pieces is generated while it is sent. */
  readonly body?: string | Iterable<string>;
  readonly envelope?: JsonObject;
  /**
   * `whole` by default. `cut` closes the connection halfway through the body, `stalled` stops sending there, `reset` drops
   * the connection before the first byte.
   */
  readonly transfer?: 'whole' | 'cut' | 'stalled' | 'reset';
  /** The outermost middleware that changed the request or the response. */
  readonly injectedBy?: string;
};

export type Next = (request?: ServiceRequest) => Promise<ServiceResponse>;

/**
 * Injects a fault: it returns its own response, or changes the request or the response of `next`. If it returns undefined,
 * the next middleware handles the request.
 */
export type Middleware = (
  request: ServiceRequest,
  next: Next,
) => Promise<ServiceResponse | undefined> | ServiceResponse | undefined;

export type Variant = readonly [does: string, inject: Middleware];

type Handler = (request: ServiceRequest) => Promise<ServiceResponse>;

/** Wraps the service in the middlewares, the first one outermost. */
export function compose(middlewares: readonly Middleware[], service: Handler): Handler {
  return middlewares.reduceRight<Handler>(
    (inner, middleware) => async (request) =>
      (await middleware(request, (changed = request) => inner(changed))) ?? inner(request),
    service,
  );
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
    return response === undefined || response === plain ? response : { ...response, injectedBy: name };
  };
}

/** Changes the envelope of a response, if it has one; `sent` may change the request first. */
export function changing(
  change: (envelope: JsonObject, request: ServiceRequest, next: Next) => JsonObject | Promise<JsonObject>,
  sent = (request: ServiceRequest) => request,
): Middleware {
  return async (request, next) => {
    const response = await next(sent(request));
    if (!response.envelope) return response;
    const envelope = await change(response.envelope, request, next);
    return envelope === response.envelope ? response : { ...response, envelope };
  };
}

export function without(object: JsonObject, ...fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)));
}

/** The parameter as a whole number; undefined if it is absent or invalid. */
export function numberIn(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

export function withParameter(request: ServiceRequest, name: string, value: number | string): ServiceRequest {
  const params = new URLSearchParams(request.params);
  params.set(name, String(value));
  return { ...request, params };
}
