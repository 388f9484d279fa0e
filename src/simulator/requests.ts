import type { IncomingMessage } from 'node:http';
import type { Dataset } from './dataset.ts';
import type { ServiceRequest } from './middleware.ts';

/** The path of the operations; any other path is refused. */
export const BASE_PATH = '/api';

/**
 * Reads requests and finds the account of each token; the document doesn't show how to get one. It reads
 * the data set's accounts each time, because they may change while the service runs.
 */
export function createRequestReader(dataset: Dataset): (incoming: IncomingMessage) => ServiceRequest {
  return ({ method = '', url: target = '' }) => {
    const path = target.split('?', 1)[0] ?? '';
    const params = new URLSearchParams(target.slice(path.length));
    const account = dataset.accounts.find(({ token }) => token === params.get('sidtoken'))?.name;
    return {
      method,
      path,
      operation: operationOf(path),
      account,
      accepted: account !== undefined,
      params,
      dataset,
    };
  };
}

function operationOf(path: string): ServiceRequest['operation'] {
  if (path === `${BASE_PATH}/getClients.wr`) return 'getClients';
  return path === `${BASE_PATH}/campaignSummary.wr` ? 'campaignSummary' : 'unknown';
}
