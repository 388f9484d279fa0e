import type { Account } from '../model/records.ts';
import { createRequestSender, defaultLimits, type RequestSenderInput } from './http/request-sender.ts';
import {
  type ClientPage,
  createListClients,
  createSummarizeCampaigns,
  type ListClients,
  type SummarizeCampaigns,
  type WindowEnd,
} from './operations.ts';
import { type WalkEnd, type WalkParameters, walkClients } from './paging/walk-clients.ts';

/** The two operations of the service, and the walk over all pages of the client list. */
export type Service = {
  readonly listClients: ListClients;
  walkClients(account: Account, parameters: WalkParameters): AsyncGenerator<ClientPage | WalkEnd, void>;
  readonly summarizeCampaigns: SummarizeCampaigns;
};

export type ServiceInput = RequestSenderInput & {
  readonly settings: {
    readonly windowEnd: WindowEnd;
    readonly balanceField: string | null;
  };
};

export function createService(input: ServiceInput): Service {
  const { concurrency, balanceField, windowEnd } = input.settings;
  const { maxWalkMs } = { ...defaultLimits, ...input.limits };
  const send = createRequestSender(input);
  const listClients = createListClients(send, balanceField);
  return {
    listClients,
    walkClients: (account, parameters) =>
      walkClients({
        list: listClients,
        account,
        parameters,
        // Pages are yielded in order. With twice the concurrency limit, one slow response doesn't keep others
        // from starting. The rate limiter bounds the requests at once.
        ahead: concurrency * 2,
        maxMs: maxWalkMs,
      }),
    summarizeCampaigns: createSummarizeCampaigns(send, windowEnd),
  };
}
