import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { secureHeaders } from 'hono/secure-headers';

/** Nothing can be changed over HTTP. */
export const readsOnly: MiddlewareHandler = async (context, next) => {
  if (context.req.method === 'GET' || context.req.method === 'HEAD') return await next();
  return context.text('this server is read-only\n', 405, { Allow: 'GET, HEAD' });
};

/**
 * Accepts requests to the server's own names and to plain addresses. With DNS rebinding, a page elsewhere reaches
 * this machine under that page's name.
 */
export function ownHostOnly(names: readonly string[]): MiddlewareHandler {
  return async (context, next) => {
    const host = URL.parse(`http://${context.req.header('host')}`)?.hostname.replaceAll(/[[\]]/g, '') ?? '';
    if (isIP(host) > 0 || host === 'localhost' || names.includes(host)) return await next();
    return context.text('unknown host name: if it is right, add it to HTTP_NAMES\n', 421);
  };
}

/** Requires the token: browsers send it as a password, with any user name, machines as a bearer token. */
export function requireToken(token: string): MiddlewareHandler {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(token);
  const isToken = (given: string) => timingSafeEqual(digest(given), expected);
  const byPassword = basicAuth({
    realm: 'Callsheet',
    verifyUser: (_, password) => isToken(password),
    invalidUserMessage: 'HTTP_TOKEN is required: as the password with any user name, or as a bearer token\n',
  });
  return async (context, next) => {
    const bearer = /^bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    if (bearer !== undefined && isToken(bearer)) return await next();
    return await byPassword(context, next);
  };
}

/** The page may load its own style sheet and icon, and nothing else from anywhere. */
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
  // Whether there is TLS, and for how long, is up to the proxy in front.
  strictTransportSecurity: false,
});
