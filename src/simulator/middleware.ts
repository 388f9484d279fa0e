import type { Dataset } from './dataset.ts';

export type ServiceRequest = {
  readonly method: string;
  readonly path: string;
  /** One of the two operations; `unknown` for any other path. */
  readonly operation: 'getClients' | 'campaignSummary' | 'unknown';
  readonly account: string | undefined;
  /** The token is still valid: the document leaves its lifetime open. */
  readonly accepted: boolean;
  readonly params: URLSearchParams;
  readonly dataset: Dataset;
};

/** An envelope or a record of its list. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type ServiceResponse = {
  /** 200 by default. */
  readonly status?: number;
  /** JSON by default. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the envelope. */
  readonly body?: string;
  readonly envelope?: JsonObject;
  /** `cut` closes the connection halfway through the body, `reset` before the first byte. */
  readonly transfer?: 'whole' | 'cut' | 'reset';
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
