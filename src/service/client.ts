import type { Account } from '../model/account.ts';
import { createSummarizeCampaigns, type SummarizeCampaigns } from './campaigns.ts';
import { createListClients, type ListClients } from './clients.ts';
import { type Ask, createAsk, type HttpParts, type HttpSettings } from './http/http.ts';
import { type WalkEnd, type WalkedPage, type WalkQuestion, walkClients } from './paging/walk-clients.ts';

/** The two operations of the service, and the walk over all pages of the first. */
export type Service = {
  readonly listClients: ListClients;
  walkClients(account: Account, question: WalkQuestion): AsyncGenerator<WalkedPage, WalkEnd>;
  readonly summarizeCampaigns: SummarizeCampaigns;
  /** Any question, for whoever examines the service itself. */
  readonly ask: Ask;
};

export type ServiceParts = Omit<HttpParts, 'settings'> & {
  readonly settings: HttpSettings & {
    readonly windowEnd: 'same-day' | 'next-day';
    readonly balanceField: string | null;
  };
};

/**
 * Pages are yielded in order: as many again as may be asked for at once wait for their turn, so that one slow answer
 * doesn't leave the other places empty. The rate limiter holds what is sent at once.
 */
const pagesAPlace = 2;

export function createService(parts: ServiceParts): Service {
  const ask = createAsk(parts);
  const listClients = createListClients(ask, parts.settings.balanceField);
  return {
    ask,
    listClients,
    walkClients: (account, question) =>
      walkClients(listClients, account, question, parts.settings.concurrency * pagesAPlace),
    summarizeCampaigns: createSummarizeCampaigns(ask, parts.settings.windowEnd),
  };
}
