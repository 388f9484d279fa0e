import type { Account } from '../model/records.ts';
import { createSummarizeCampaigns, type SummarizeCampaigns } from './campaigns.ts';
import { createListClients, type ListClients } from './clients.ts';
import {
  createRequestSender,
  type RequestParts,
  type RequestSettings,
  type SendRequest,
} from './http/request-sender.ts';
import { type WalkItem, type WalkQuestion, walkClients } from './paging/walk-clients.ts';

/** The two operations of the service, and the walk over all pages of the first. */
export type Service = {
  readonly listClients: ListClients;
  walkClients(account: Account, question: WalkQuestion): AsyncGenerator<WalkItem, void>;
  readonly summarizeCampaigns: SummarizeCampaigns;
  /** Sends any request, to examine the service itself. */
  readonly send: SendRequest;
};

export type ServiceParts = Omit<RequestParts, 'settings'> & {
  readonly settings: RequestSettings & {
    readonly windowEnd: 'same-day' | 'next-day';
    readonly balanceField: string | null;
  };
};

/**
 * Pages are yielded in order: as many again as the concurrency limit are fetched ahead, so that one slow response
 * doesn't keep the others from starting. The rate limiter holds what is sent at once.
 */
const pagesAheadPerRequest = 2;

export function createService(parts: ServiceParts): Service {
  const send = createRequestSender(parts);
  const listClients = createListClients(send, parts.settings.balanceField);
  return {
    send,
    listClients,
    walkClients: (account, question) =>
      walkClients(listClients, account, question, parts.settings.concurrency * pagesAheadPerRequest),
    summarizeCampaigns: createSummarizeCampaigns(send, parts.settings.windowEnd),
  };
}
