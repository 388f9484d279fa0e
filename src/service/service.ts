import type { Account } from '../model/records.ts';
import { createRateLimiter, type SharedRate } from './http/rate-limiter.ts';
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
  /** Call it once no more campaigns are requested: client lists may then use the whole concurrency limit. */
  endCampaigns(): void;
};

export type ServiceInput = Omit<RequestSenderInput, 'rateLimiter'> & {
  /** A rate shared with other processes; by default this client has its own. */
  readonly sharedRate?: SharedRate;
  readonly settings: {
    readonly windowEnd: WindowEnd;
    readonly balanceField: string | null;
  };
};

export function createService(input: ServiceInput): Service {
  const { concurrency, balanceField, windowEnd } = input.settings;
  const { maxWalkMs } = { ...defaultLimits, ...input.limits };
  const rateLimiter = createRateLimiter(input.settings, input.signal, input.sharedRate);
  const send = createRequestSender({ ...input, rateLimiter });
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
        answers: input,
        maxMs: maxWalkMs,
      }),
    summarizeCampaigns: createSummarizeCampaigns(send, windowEnd),
    endCampaigns: rateLimiter.endCampaigns,
  };
}
