import type { Dataset } from './dataset.ts';

/** A request as the service sees it. */
export type ServiceRequest = {
  readonly method: string;
  /** Path and query as they were sent, the token included. */
  readonly target: string;
  readonly path: string;
  /** One of the two of service.md 4; `unknown` is any other path. */
  readonly operation: 'getClients' | 'campaignSummary' | 'unknown';
  /** The name of the account whose token it is, if anyone's. */
  readonly account: string | undefined;
  /** Whether that token is still valid: the document leaves its lifetime open (service.md 5). */
  readonly accepted: boolean;
  readonly params: URLSearchParams;
  /** Which request of this operation it is, counted from 1. */
  readonly nth: number;
  /** What the response is made from. */
  readonly dataset: Dataset;
};

/** A JSON object: an envelope as the document shows it (service.md 2.2, 2.3), or any record of its list. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type ServiceResponse = {
  /** 200 by default. */
  readonly status?: number;
  /** JSON by default. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Goes before the envelope. A body in pieces is made as it is sent. */
  readonly body?: string | Iterable<string>;
  readonly envelope?: JsonObject;
  /**
   * `whole` by default; `cut` ends half-way through the body it announced, `stalled` stops there for ever, and `reset`
   * drops the connection before the first byte.
   */
  readonly transfer?: 'whole' | 'cut' | 'stalled' | 'reset';
  /** The outermost fault injection that replaced or changed the response, or the request. */
  readonly injectedBy?: string;
};

/** Responds to the request as it is, or to a changed one. */
export type Next = (request?: ServiceRequest) => Promise<ServiceResponse>;

/**
 * The one way to inject a fault: a middleware returns a response of its own, changes the one that `next` gives for this
 * or another request, or returns undefined, which leaves the request to the next one.
 */
export type Middleware = (
  request: ServiceRequest,
  next: Next,
) => Promise<ServiceResponse | undefined> | ServiceResponse | undefined;

/** One way in which a service could behave where the document is silent. */
export type Variant = readonly [does: string, inject: Middleware];

type Handler = (request: ServiceRequest) => Promise<ServiceResponse>;

/** The service behind the middlewares, the first one outermost. */
export function compose(middlewares: readonly Middleware[], service: Handler): Handler {
  return middlewares.reduceRight<Handler>(
    (inner, middleware) => async (request) =>
      (await middleware(request, (changed = request) => inner(changed))) ?? inner(request),
    service,
  );
}

/** The middleware, with its name on each response that differs from the service's own to the request as it is. */
export function named(name: string, middleware: Middleware): Middleware {
  return async (request, next) => {
    let plain: ServiceResponse | undefined;
    const response = await middleware(request, async (changed = request) => {
      const given = await next(changed);
      if (changed === request) plain = given;
      return given;
    });
    return response === undefined || response === plain ? response : { ...response, injectedBy: name };
  };
}

/** Changes the envelope of a response that has one; `sent` may change the request before. */
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

/** The object without some of its fields. */
export function without(object: JsonObject, ...fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)));
}

/** The parameter as a whole number; undefined where it is absent, or anything else. */
export function numberIn(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The request with one parameter set. */
export function withParameter(request: ServiceRequest, name: string, value: number | string): ServiceRequest {
  const params = new URLSearchParams(request.params);
  params.set(name, String(value));
  return { ...request, params };
}
