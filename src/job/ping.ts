import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../model/failure.ts';
import { Interrupted } from '../model/interrupted.ts';
import type { Logger } from '../support/logger.ts';
import { endingOf } from './ending.ts';

/** Tells a watchdog of nights (healthchecks.io and its like) that one begins, or its exit code. Never rejects. */
export type Ping = (news: 'start' | number, hurry?: boolean) => Promise<void>;

const timeoutMs = 5_000;
/** A process that was told to end has no time for more. */
const hurriedTimeoutMs = 2_000;
const tries = 2;
const pauseMs = 1_000;

/** Pings `HEALTHCHECK_URL`: `/start`, the plain address for success, `/CODE` for anything else. */
export function createPing(url: string | null, log: Pick<Logger, 'warn'>): Ping {
  if (url === null) return async () => {};
  return async (news, hurry = false) => {
    const address = addressOf(url, news);
    let fault: string | null = null;
    for (let left = hurry ? 1 : tries; left > 0; left--) {
      fault = await ping(address, hurry ? hurriedTimeoutMs : timeoutMs);
      if (fault === null) return;
      if (left > 1) await delay(pauseMs);
    }
    const what = news === 'start' ? 'the start' : `exit code ${news}`;
    log.warn(`HEALTHCHECK_URL was not told of ${what} (${fault}): check it if this comes again`);
  };
}

function addressOf(url: string, news: 'start' | number): URL {
  const address = new URL(url);
  if (news !== 0) address.pathname = `${address.pathname.replace(/\/+$/, '')}/${news}`;
  return address;
}

/** What went wrong, in words without the address, for it is as good as a password; null where all is well. */
async function ping(address: URL, withinMs: number): Promise<string | null> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(withinMs) });
    await answer.body?.cancel();
    return answer.ok ? null : `it answers ${answer.status}`;
  } catch (error) {
    const { name, cause } = error as Error;
    return name === 'TimeoutError' ? `no answer within ${withinMs} ms` : codeOf(cause);
  }
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? 'no connection';
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
