import type { Dataset } from './dataset.ts';

/** The service's operations (service.md 4); `unknown` is any other path. */
export type Operation = 'getClients' | 'campaignSummary' | 'unknown';

/** A request as the service sees it. */
export type ServiceRequest = {
  readonly method: string;
  /** Path and query as they were sent, the token included. */
  readonly target: string;
  readonly path: string;
  readonly operation: Operation;
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

/** The JSON object of a response as the document shows it, before it is written (service.md 2.2, 2.3). */
export type Envelope = Readonly<Record<string, unknown>>;

/** Any record of an envelope's list. */
export type AnyRecord = Readonly<Record<string, unknown>>;

/**
 * How a response is sent: `cut` ends half-way through the body it announced, `stalled` stops there for ever, and
 * `reset` drops the connection before the first byte.
 */
export type Transfer = 'whole' | 'cut' | 'stalled' | 'reset';

export type ServiceResponse = {
  /** 200 by default. */
  readonly status?: number;
  /** JSON by default. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Goes before the envelope. A body in pieces is made as it is sent. */
  readonly body?: string | Iterable<string>;
  readonly envelope?: Envelope;
  /** `whole` by default. */
  readonly transfer?: Transfer;
  /** The outermost fault injection that replaced or changed the response, or the request. */
  readonly injectedBy?: string;
};

export type Handler = (request: ServiceRequest) => Promise<ServiceResponse>;

/**
 * The one way to inject a fault: a middleware returns a response of its own, changes the one that `next` gives for this
 * or another request, or returns undefined, which leaves the request to the next one.
 */
export type Middleware = (
  request: ServiceRequest,
  next: (request?: ServiceRequest) => Promise<ServiceResponse>,
) => Promise<ServiceResponse | undefined> | ServiceResponse | undefined;

/** The service behind the middlewares, the first one outermost. */
export function compose(middlewares: readonly Middleware[], service: Handler): Handler {
  return middlewares.reduceRight<Handler>(
    (inner, middleware) => async (request) =>
      (await middleware(request, (changed = request) => inner(changed))) ?? inner(request),
    service,
  );
}

/** The middleware, with its name on each response that isn't the one due to the request as it came. */
export function named(name: string, middleware: Middleware): Middleware {
  return async (request, next) => {
    let due: ServiceResponse | undefined;
    const response = await middleware(request, async (changed = request) => {
      const given = await next(changed);
      if (changed === request) due = given;
      return given;
    });
    return response === undefined || response === due ? response : { ...response, injectedBy: name };
  };
}

/** Whether it is a request of the document; all others are refused in any variant. */
export function isOperation({ method, operation }: ServiceRequest): boolean {
  return method === 'GET' && operation !== 'unknown';
}

/** Changes the envelope of a response that has one. */
export function changing(change: (envelope: Envelope, params: URLSearchParams) => Envelope): Middleware {
  return async ({ params }, next) => {
    const due = await next();
    if (!due.envelope) return due;
    const envelope = change(due.envelope, params);
    return envelope === due.envelope ? due : { ...due, envelope };
  };
}

/** Changes the envelope of a client list. */
export function changingClients(change: (envelope: Envelope) => Envelope): Middleware {
  return changing((envelope) => ('data' in envelope ? change(envelope) : envelope));
}

/** Changes the records of either operation. */
export function changingRecords(
  change: (records: readonly AnyRecord[], params: URLSearchParams) => readonly unknown[],
): Middleware {
  return changing((envelope, params) => {
    const list = 'data' in envelope ? 'data' : 'result';
    return { ...envelope, [list]: change(envelope[list] as readonly AnyRecord[], params) };
  });
}

/** The object without some of its fields. */
export function without(object: AnyRecord, ...fields: readonly string[]): AnyRecord {
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
