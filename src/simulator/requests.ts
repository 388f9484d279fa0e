import type { IncomingMessage } from 'node:http';
import type { Dataset } from './dataset.ts';
import type { ServiceRequest } from './middleware.ts';

/** The path of the operations; any other path is refused. */
export const BASE_PATH = '/api';

/**
 * Reads requests and finds the account of each token; the document doesn't show how to get one (service.md 5). It reads
 * the data set's accounts each time, because they may change while the service runs.
 */
export function createRequestReader(dataset: Dataset) {
  const revoked = new Set<string>();
  const counts = { getClients: 0, campaignSummary: 0, unknown: 0 };
  const ownerOf = (token: string) => dataset.accounts.find((account) => account.token === token);
  return {
    read({ method = '', url: target = '', headers }: IncomingMessage): ServiceRequest {
      const path = target.split('?', 1)[0] ?? '';
      const params = new URLSearchParams(target.slice(path.length));
      const operation = operationOf(path);
      counts[operation] += 1;
      const token = params.get('sidtoken') ?? '';
      const account = ownerOf(token)?.name;
      return {
        method,
        target,
        path,
        contentType: headers['content-type'],
        operation,
        account,
        accepted: account !== undefined && !revoked.has(token),
        params,
        nth: counts[operation],
        dataset,
      };
    },
    /** Revokes a token; throws if no account has it. */
    revoke(token: string): void {
      if (!ownerOf(token)) throw new Error('No account has the token that is to be revoked.');
      revoked.add(token);
    },
  };
}

function operationOf(path: string): ServiceRequest['operation'] {
  if (path === `${BASE_PATH}/getClients.wr`) return 'getClients';
  return path === `${BASE_PATH}/campaignSummary.wr` ? 'campaignSummary' : 'unknown';
}
