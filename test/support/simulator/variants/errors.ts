import { changing, type JsonObject, type Middleware } from '../../../../src/simulator/middleware.ts';

/**
 * Envelopes with an error field and status 200. The document shows no errors (service.md 7): an expired session may look
 * like an empty list.
 */
export function errorVariants() {
  return {
    'session-expired-in-empty-list': emptied('session expired'),
    /** Every list is whole. */
    'error-beside-records': changing((envelope) => ({
      ...envelope,
      error: 'statistics of a switch are late',
    })),
  } satisfies Record<string, Middleware>;
}

/** Empties every list. */
function emptied(error: string): Middleware {
  return changing((envelope): JsonObject => {
    if (!('data' in envelope)) {
      return {
        ...envelope,
        campaigns: 0,
        reports: 0,
        result: [],
        error,
      };
    }
    return {
      ...envelope,
      pages: 0,
      clients: 0,
      results: 0,
      count: 0,
      data: [],
      error,
    };
  });
}
