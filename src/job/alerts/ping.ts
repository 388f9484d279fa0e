import ky, { isHTTPError, isTimeoutError } from 'ky';
import { Failure } from '../../model/failure.ts';
import { Interrupted } from '../../model/interrupted.ts';
import { connectionErrorCode } from '../../service/http/request-errors.ts';
import type { Logger } from '../../support/logger.ts';
import { endingOf } from '../run/ending.ts';

/** Tells a watchdog of nights (healthchecks.io and its like) that one begins, or its exit code. Never rejects. */
export type Ping = (news: 'start' | number, hurry?: boolean) => Promise<void>;

const backoffMs = 1_000;

/** In milliseconds; `totalTimeout` counts retries, and the body of an error, too. */
type PingLimits = { readonly timeout: number; readonly totalTimeout: number; readonly retries: number };

const normal: PingLimits = { timeout: 5_000, totalTimeout: 11_000, retries: 1 };
/** A process that was told to end has no time for more. */
const hurried: PingLimits = { timeout: 2_000, totalTimeout: 2_000, retries: 0 };

/** Pings `HEALTHCHECK_URL`: `/start`, the plain address for success, `/CODE` for anything else. */
export function createPing(url: string | null, log: Pick<Logger, 'warn'>): Ping {
  if (url === null) return async () => {};
  return async (news, hurry = false) => {
    const error = await ping(addressOf(url, news), hurry ? hurried : normal);
    if (error === null) return;
    const what = news === 'start' ? 'the start' : `exit code ${news}`;
    log.warn(`HEALTHCHECK_URL was not told of ${what} (${error}): check it if this comes again`);
  };
}

function addressOf(url: string, news: 'start' | number): URL {
  const address = new URL(url);
  if (news !== 0) address.pathname = `${address.pathname.replace(/\/+$/, '')}/${news}`;
  return address;
}

/** What went wrong on the last attempt, in words without the address, for it is as good as a password; else null. */
async function ping(address: URL, { timeout, totalTimeout, retries }: PingLimits): Promise<string | null> {
  try {
    const retry = { limit: retries, delay: () => backoffMs, shouldRetry: () => true };
    const response = await ky(address, { timeout, totalTimeout, retry });
    await response.body?.cancel();
    return null;
  } catch (error) {
    return wordsOf(error, timeout);
  }
}

// ky's own messages hold the address.
function wordsOf(error: unknown, timeoutMs: number): string {
  if (isHTTPError(error)) return `it answers ${error.response.status}`;
  if (isTimeoutError(error)) return `no answer within ${timeoutMs} ms`;
  return connectionErrorCode((error as Error).cause);
}

/** Does the work of a night between its pings. */
export async function pinged<T extends { readonly exitCode: number }>(
  ping: Ping,
  work: () => Promise<T>,
): Promise<T> {
  // The night doesn't wait for it; only the next ping does, so that they come in order.
  const started = ping('start');
  try {
    const report = await work();
    await started;
    await ping(report.exitCode);
    return report;
  } catch (error) {
    const hurry = error instanceof Interrupted;
    if (!hurry) await started;
    // The one at work tells how the night went.
    const elsewhere = error instanceof Failure && error.kind === 'another run';
    if (!elsewhere) await ping(endingOf(error).exitCode, hurry);
    throw error;
  }
}
