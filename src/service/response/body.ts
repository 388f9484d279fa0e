import { hash } from 'node:crypto';
import type { ServiceResponse } from '../../model/records.ts';

export function hashed(body: Buffer): Pick<ServiceResponse, 'body' | 'sha256'> {
  return { body, sha256: hash('sha256', body, 'buffer') };
}

/** UTF-8, without a byte order mark. */
const strict = new TextDecoder('utf-8', { fatal: true });
const lenient = new TextDecoder();

/**
 * The text of a body in UTF-8, the same when it is received and when it comes from the archive. What isn't UTF-8 becomes
 * half of a character, which no record may have.
 */
export function textOf(body: Uint8Array): string {
  try {
    return strict.decode(body);
  } catch {
    return lenient.decode(body).replaceAll('\uFFFD', '\uDC80');
  }
}

/** The text of a body in its declared charset, else in UTF-8. */
export function textIn(headers: Headers, body: Uint8Array): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([^\s";]+)/i.exec(headers.get('content-type') ?? '') ?? [];
  if (/^utf-?8$/i.test(charset)) return textOf(body);
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    // A charset that nobody knows.
    return textOf(body);
  }
}
