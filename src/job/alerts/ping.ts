import ky, { isHTTPError, isTimeoutError, type Options } from 'ky';
import { connectionErrorCode } from '../../service/http/attempt-errors.ts';
import { formatElapsed } from '../../support/english.ts';
import type { Logger } from '../../support/logger.ts';
import { userAgent } from '../../support/user-agent.ts';

/**
 * Pings a watchdog (healthchecks.io and the like) at the start of a run, or with its exit code and what it should
 * show. Never rejects.
 */
export type Ping = (event: 'start' | number, text?: () => Promise<string>, hurry?: boolean) => Promise<void>;

/** The fields that a program reads: firing if any alert in the text begins or is repeated, else resolved. */
export type AlertState = {
  readonly status: 'firing' | 'resolved';
  /** Keys of the alerts that begin or are repeated; if there are none, of those that are over. */
  readonly keys: readonly string[];
};

/** Posts a text to `ALERT_WEBHOOK_URL`; resolves to the error, null if it arrived. */
export type PostAlert = (text: string, state: AlertState) => Promise<string | null>;

/** Limits in milliseconds; `totalTimeout` counts retries, and the body of an error, too. */
const normal = { timeout: 5_000, totalTimeout: 11_000, retries: 1 };
/** Limits of a process that is interrupted. */
const hurried = { timeout: 2_000, totalTimeout: 2_000, retries: 0 };

const backoffMs = 1_000;

/**
 * Pings `HEALTHCHECK_URL`: `/start`, the plain address for success, `/CODE` for anything else. An address of Uptime Kuma
 * (`/api/push/KEY`) has its state in the query, and none for a start.
 */
export function createPing(url: string | null, log: Pick<Logger, 'warn'>): Ping {
  if (url === null) return async () => {};
  return async (event, text, hurry = false) => {
    const isPush = new URL(url).pathname.includes('/api/push/');
    if (isPush && event === 'start') return;
    const body = await text?.();
    const address = isPush ? pushAddressOf(url, event === 0, body) : addressOf(url, event);
    const init = body === undefined || isPush ? {} : { method: 'post', body };
    const error = await request(address, init, hurry ? hurried : normal);
    if (error === null) return;
    const what = event === 'start' ? 'the start' : `exit code ${event}`;
    log.warn(`HEALTHCHECK_URL was not notified of ${what} (${error}): check it if this happens again`);
  };
}

/** Slack, Teams and Mattermost take no longer text. */
const maxTextLength = 12_000;

/** Null without `ALERT_WEBHOOK_URL`. */
export function createPostAlert(url: string | null, log: Pick<Logger, 'warn'>): PostAlert | null {
  if (url === null) return null;
  return async (text, state) => {
    const post = (json: object) => request(new URL(url), { method: 'post', json }, normal);
    const payload = payloadOf(url, text.slice(0, maxTextLength), state);
    const first = await post(payload);
    // Google's chat takes no other field than the text.
    const error = first === 'status 400' && 'text' in payload ? await post({ text: payload.text }) : first;
    if (error !== null) log.warn(`ALERT_WEBHOOK_URL did not take the alert (${error})`);
    return error;
  };
}

/** The body that the address takes. Texts of the service are in it: none is a link or a mention there. */
export function payloadOf(url: string, text: string, state: AlertState): object {
  // In each cloud, the address of a workflow of Teams has this path.
  if (/\/workflows\/[^/]+\/triggers\/[^/]+\/paths\/invoke\/?$/.test(new URL(url).pathname)) {
    // The smallest card that a workflow takes. A text block knows links of Markdown.
    const escaped = text.replaceAll(/[[\]]/g, '\\$&').replaceAll('\n', '\n\n');
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.2',
      body: [{ type: 'TextBlock', wrap: true, text: escaped }],
    };
    const contentType = 'application/vnd.microsoft.card.adaptive';
    return { type: 'message', attachments: [{ contentType, content }] };
  }
  // Slack takes `<!channel>` for a mention, and `<https://…|text>` for a link.
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return { text: text.replaceAll(/[&<>]/g, (sign) => entities[sign]!), ...state };
}

function addressOf(url: string, event: 'start' | number): URL {
  const address = new URL(url);
  if (event !== 0) address.pathname = `${address.pathname.replace(/\/+$/, '')}/${event}`;
  return address;
}

/** Uptime Kuma shows one line. */
const maxPushLength = 200;

function pushAddressOf(url: string, isDone: boolean, text = ''): URL {
  const address = new URL(url);
  const line = text.split('\n', 1)[0]!.slice(0, maxPushLength);
  address.searchParams.set('status', isDone ? 'up' : 'down');
  address.searchParams.set('msg', line || (isDone ? 'OK' : 'failed'));
  return address;
}

/** Sends a request. Returns the error of the last attempt, without the address, which is as secret as a password; null if it succeeded. */
async function request(
  address: URL,
  init: Options,
  { timeout, totalTimeout, retries }: typeof normal,
): Promise<string | null> {
  try {
    const retry = {
      limit: retries,
      methods: ['get', 'post'],
      delay: () => backoffMs,
      shouldRetry: () => true,
    };
    const headers = { 'user-agent': userAgent };
    const response = await ky(address, { ...init, timeout, totalTimeout, retry, headers });
    await response.body?.cancel();
    return null;
  } catch (error) {
    // ky's own messages hold the address.
    if (isHTTPError(error)) return `status ${error.response.status}`;
    if (isTimeoutError(error)) return `no response within ${formatElapsed(timeout)}`;
    return connectionErrorCode((error as Error).cause);
  }
}
