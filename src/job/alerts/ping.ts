import ky, { isHTTPError, isTimeoutError } from 'ky';
import { connectionErrorCode } from '../../service/http/attempt-errors.ts';
import type { Logger } from '../../support/logger.ts';
import { userAgent } from '../../support/user-agent.ts';

/** Pings a watchdog (healthchecks.io and the like) at the start of a run, or with its exit code. Never rejects. */
export type Ping = (event: 'start' | number, hurry?: boolean) => Promise<void>;

/** In milliseconds; `totalTimeout` counts retries, and the body of an error, too. */
const normal = { timeout: 5_000, totalTimeout: 11_000, retries: 1 };
/** For a process that is interrupted. */
const hurried = { timeout: 2_000, totalTimeout: 2_000, retries: 0 };

const backoffMs = 1_000;

/** Pings `HEALTHCHECK_URL`: `/start`, the plain address for success, `/CODE` for anything else. */
export function createPing(url: string | null, log: Pick<Logger, 'warn'>): Ping {
  if (url === null) return async () => {};
  return async (event, hurry = false) => {
    const error = await ping(addressOf(url, event), hurry ? hurried : normal);
    if (error === null) return;
    const what = event === 'start' ? 'the start' : `exit code ${event}`;
    log.warn(`HEALTHCHECK_URL was not notified of ${what} (${error}): check it if this happens again`);
  };
}

function addressOf(url: string, event: 'start' | number): URL {
  const address = new URL(url);
  if (event !== 0) address.pathname = `${address.pathname.replace(/\/+$/, '')}/${event}`;
  return address;
}

/** The error of the last attempt, without the address, which is as secret as a password; null where there is none. */
async function ping(address: URL, { timeout, totalTimeout, retries }: typeof normal): Promise<string | null> {
  try {
    const retry = { limit: retries, delay: () => backoffMs, shouldRetry: () => true };
    const response = await ky(address, {
      timeout,
      totalTimeout,
      retry,
      headers: { 'user-agent': userAgent },
    });
    await response.body?.cancel();
    return null;
  } catch (error) {
    // ky's own messages hold the address.
    if (isHTTPError(error)) return `status ${error.response.status}`;
    if (isTimeoutError(error)) return `no response within ${timeout} ms`;
    return connectionErrorCode((error as Error).cause);
  }
}
