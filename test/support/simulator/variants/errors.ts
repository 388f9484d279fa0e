import { changing, type JsonObject } from '../../../../src/simulator/middleware.ts';
import type { Variant } from '../middleware.ts';

/**
 * Envelopes with an error field and status 200. The document shows no errors (service.md 7): an expired session may look
 * like an empty list, and an error field may be present although nothing is wrong.
 */
export function errorVariants() {
  return {
    'session-expired-in-empty-list': emptied('every list is empty, and `error` is "session expired"', {
      error: 'session expired',
    }),
    'login-asked-in-empty-list': emptied('every list is empty, and `message` asks to log in', {
      status: 'OK',
      message: 'Please log in again.',
    }),
    'token-error-in-empty-list': emptied('every list is empty, and `errors` holds one about the sidtoken', {
      errors: [{ code: 1102, message: 'The sidtoken is not known.' }],
    }),
    'error-in-empty-list': emptied('every list is empty, and `error` is "internal error"', {
      error: 'internal error',
    }),
    'error-flag-in-empty-list': emptied('every list is empty, and `error` is true', { error: true }),
    'no-error-in-empty-list': [
      '`error` is null, `errors` empty and `success` true; an empty list says "No campaigns found"',
      changing((envelope) => ({
        ...envelope,
        error: null,
        errors: [],
        success: true,
        message: recordsOf(envelope).length === 0 ? 'No campaigns found' : '',
      })),
    ],
    'error-beside-records': [
      'every list is whole, and `error` is "statistics of a switch are late"',
      changing((envelope) => ({ ...envelope, error: 'statistics of a switch are late' })),
    ],
  } satisfies Record<string, Variant>;
}

function emptied(does: string, says: JsonObject): Variant {
  const inject = changing((envelope) => {
    const counts =
      'data' in envelope
        ? {
            pages: 0,
            clients: 0,
            results: 0,
            count: 0,
            data: [],
          }
        : { campaigns: 0, reports: 0, result: [] };
    return { ...envelope, ...counts, ...says };
  });
  return [does, inject];
}

function recordsOf({ data, result }: JsonObject): readonly unknown[] {
  return (data ?? result) as readonly unknown[];
}
