/**
 * How long a `Retry-After` header asks to wait (RFC 9110, 10.2.3: seconds or an HTTP date), at most `longestMs`,
 * for the server's clock may be wrong, or its wish unreasonable.
 * Null where there is none, it can't be read, or its date is past: then the ordinary back-off holds.
 */
export function retryAfterMs(header: string | null, now: number, longestMs: number): number | null {
  if (header === null) return null;
  const wait = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return wait > 0 ? Math.min(wait, longestMs) : null;
}
