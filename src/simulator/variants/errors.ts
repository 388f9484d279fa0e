import { ERROR_IN_200, type Reply } from '../reply.ts';
import type { ServiceRequest } from '../request.ts';
import type { VariantEntry } from '../variant.ts';

/** Errors: neither their statuses nor their bodies are shown (service.md 7). */
export const errorVariants = {
  'error-in-200': {
    does: 'every answer is an error object with status 200 that says nothing of tokens',
    make: () => ({ reply: () => ERROR_IN_200 }),
  },
  'error-echoes-token': {
    does: 'getClients fails with 500 and campaignSummary with 400, and both repeat the URL and the token',
    make: () => ({ reply: echo }),
  },
} satisfies Record<string, VariantEntry>;

/** Careless services do so: raw, URL-encoded, within the URL, and in a header as well. */
function echo({ operation, target, params }: ServiceRequest): Reply {
  const token = params.get('sidtoken') ?? '';
  const status = operation === 'getClients' ? 500 : 400;
  const error = {
    code: status,
    message: `Could not handle ${target} for session ${token}`,
    url: target,
    sidtoken: token,
    encoded: encodeURIComponent(token),
  };
  return { status, headers: { 'x-request-url': target }, body: JSON.stringify({ error }) };
}
