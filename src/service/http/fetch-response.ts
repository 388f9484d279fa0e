import { readBody } from './read-body.ts';
import { AttemptTimeout, ConnectionError, connectionErrorCode, ResponseTooLarge } from './request-errors.ts';

export type FetchLimits = { readonly timeoutMs: number; readonly maxBodyBytes: number };

/** A response with its whole body, whatever its status. */
export type RawResponse = { readonly status: number; readonly headers: Headers; readonly body: string };

/**
 * Sends a request once, with the session token (service.md 5). The limits hold for headers and body together, so that
 * a body that is cut short or stalls is retried like a lost connection.
 * Throws AttemptTimeout, ConnectionError or ResponseTooLarge, none of which holds the URL; or the signal's reason.
 */
export async function fetchResponse(
  request: Request,
  sidtoken: string,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<RawResponse> {
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await fetch(urlWithToken(request, sidtoken), {
      headers: request.headers,
      redirect: request.redirect,
      signal: AbortSignal.any([signal, timeout]),
    });
    const body = await readBody(response, limits.maxBodyBytes);
    return {
      status: response.status,
      headers: response.headers,
      body,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ResponseTooLarge) throw error;
    if (timeout.aborted) throw new AttemptTimeout(`no complete response within ${limits.timeoutMs} ms`);
    throw new ConnectionError(connectionErrorCode(error));
  }
}

/** The token joins here, because ky puts the URLs it knows into its errors. */
function urlWithToken(request: Request, sidtoken: string): URL {
  const url = new URL(request.url);
  url.searchParams.set('sidtoken', sidtoken);
  return url;
}
