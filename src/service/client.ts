import type { Account } from '../model/account.ts';
import { createSummarizeCampaigns, type SummarizeCampaigns } from './campaigns.ts';
import { type ClientPage, createListClients, type ListClients } from './clients.ts';
import { createAsk, type HttpParts, type HttpSettings } from './http.ts';
import { type WalkEnd, type WalkQuestion, walkClients } from './walk-clients.ts';

/** The two operations of the service, and the walk over all pages of the first. */
export type Service = {
  readonly listClients: ListClients;
  walkClients(account: Account, question: WalkQuestion): AsyncGenerator<ClientPage, WalkEnd>;
  readonly summarizeCampaigns: SummarizeCampaigns;
};

export type ServiceParts = Omit<HttpParts, 'settings'> & {
  readonly settings: HttpSettings & {
    readonly windowEnd: 'same-day' | 'next-day';
    readonly balanceField: string | null;
  };
};

export function createService(parts: ServiceParts): Service {
  const ask = createAsk(parts);
  const listClients = createListClients(ask, parts.settings.balanceField);
  return {
    listClients,
    walkClients: (account, question) => walkClients(listClients, account, question),
    summarizeCampaigns: createSummarizeCampaigns(ask, parts.settings.windowEnd),
  };
}
