import { hash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { secureHeaders } from 'hono/secure-headers';
import type { Logger } from '../support/logger.ts';

/** Nothing can be changed over HTTP. */
export const readsOnly: MiddlewareHandler = async (context, next) => {
  if (context.req.method === 'GET' || context.req.method === 'HEAD') return await next();
  return context.text('this server is read-only\n', 405, { Allow: 'GET, HEAD' });
};

/**
 * Accepts only requests to the server's own names and to IP addresses: with DNS rebinding, a page of another
 * site reaches this machine under that site's name.
 */
export function ownHostOnly(names: readonly string[]): MiddlewareHandler {
  return async (context, next) => {
    const host = URL.parse(`http://${context.req.header('host')}`)?.hostname.replaceAll(/[[\]]/g, '') ?? '';
    if (isIP(host) > 0 || host === 'localhost' || names.includes(host)) return await next();
    return context.text('unknown host name: if it is right, add it to HTTP_NAMES\n', 421);
  };
}

/**
 * Refuses what pages of other sites embed or fetch, but accepts their links. Requests without
 * `Sec-Fetch-Site` are accepted: browsers send it over HTTPS and to this machine, other programs don't.
 */
export const ownSiteOnly: MiddlewareHandler = async (context, next) => {
  const [site, mode, destination] = ['site', 'mode', 'dest'].map((name) =>
    context.req.header(`sec-fetch-${name}`),
  );
  const isOwn = site === undefined || site === 'same-origin' || site === 'none';
  if (isOwn || (mode === 'navigate' && destination === 'document')) return await next();
  return context.text('other sites may only link to this server\n', 403);
};

const wrongTokenDelayMs = 500;

/**
 * Requires the token. Browsers send it as a password with any user name, other programs as a bearer token.
 * A wrong token is logged, and its response delayed.
 */
export function requireToken(token: string, log: Logger): MiddlewareHandler {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(token);
  const isToken = (given: string) => timingSafeEqual(digest(given), expected);
  const byPassword = basicAuth({
    realm: 'Callsheet',
    verifyUser: (_, password) => isToken(password),
    invalidUserMessage: 'HTTP_TOKEN is required: as the password with any user name, or as a bearer token\n',
  });
  let silentUntil = 0;
  return async (context, next) => {
    const given = context.req.header('authorization');
    const bearer = /^bearer +(\S+)$/i.exec(given ?? '')?.[1];
    if (bearer !== undefined && isToken(bearer)) return await next();
    try {
      return await byPassword(context, next);
    } catch (error) {
      // A browser's first request has no token: the response makes the browser ask for it.
      if (given !== undefined) {
        const now = performance.now();
        // At most once a minute, and never the token: it may be valid elsewhere.
        if (now >= silentUntil) {
          const { address } = getConnInfo(context).remote;
          log.warn(`server: wrong HTTP_TOKEN, from ${address}; further ones are not logged for a minute`);
          silentUntil = now + 60_000;
        }
        await delay(wrongTokenDelayMs);
      }
      throw error;
    }
  };
}

/** The page may load only itself and its own style sheet and icon. It has no script. */
export const strictHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
  // The proxy in front decides whether TLS is required, and for how long.
  strictTransportSecurity: false,
});
