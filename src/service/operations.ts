import type { Day } from '../model/day.ts';
import type { Account, ServiceResponse } from '../model/records.ts';
import type { SendRequest } from './http/request-sender.ts';
import {
  type CampaignList,
  type ClientList,
  campaignSummarySchema,
  clientListSchema,
} from './response/schema.ts';

/** Parameters of the client list (service.md 4.1); `page` needs `limit`. */
export type ClientListParameters = {
  readonly limit?: number;
  readonly page?: number;
  readonly search?: string;
  readonly balance?: boolean;
};

/** What comes with the content of a good response. */
type Received = {
  /** As it is archived. */
  readonly response: ServiceResponse;
  /** What it says that speaks against it, 200 characters at most and without the token; null where it says nothing. */
  readonly notice: string | null;
};

/** One page of the client list. */
export type ClientPage = ClientList & Received;

export type ListClients = (account: Account, parameters: ClientListParameters) => Promise<ClientPage>;

/** Lists the clients that the account created (service.md 4.1). */
export function createListClients(send: SendRequest, balanceField: string | null): ListClients {
  const schema = clientListSchema(balanceField);
  return async (account, parameters) => {
    const about = parameters.page === undefined ? 'clients' : `clients, page ${parameters.page}`;
    const request = { operation: 'getClients', about, parameters } as const;
    const { content, ...received } = await send(account, request, schema);
    return { ...content, ...received };
  };
}

/** What the service takes for the end of a range: its last day, or the day after. */
export type WindowEnd = 'same-day' | 'next-day';

/** Days to sum up, both included, in the account's zone; `callsetId` narrows them to one campaign. */
export type SummaryRange = { readonly from: Day; readonly to: Day; readonly callsetId?: number };

/** The campaigns of a response. */
export type Summary = CampaignList & Received;

export type SummarizeCampaigns = (account: Account, range: SummaryRange) => Promise<Summary>;

/** Sums up the campaigns of an account over a range of days (service.md 4.2). */
export function createSummarizeCampaigns(send: SendRequest, windowEnd: WindowEnd): SummarizeCampaigns {
  return async (account, { from, to, callsetId }) => {
    const end = Temporal.PlainDate.from(to).add({ days: windowEnd === 'next-day' ? 1 : 0 });
    const request = {
      operation: 'campaignSummary',
      about: from === to ? `campaigns of ${from}` : `campaigns of ${from} to ${to}`,
      parameters: {
        startdate: dateParameter(from),
        enddate: dateParameter(end.toString()),
        ...(callsetId !== undefined && { callsetid: callsetId }),
      },
    } as const;
    const { content, ...received } = await send(account, request, campaignSummarySchema);
    return { ...content, ...received };
  };
}

/** `MM-DD-YYYY`, the format of both dates (service.md 4.2). */
function dateParameter(day: Day): string {
  const [year, month, date] = day.split('-');
  return `${month}-${date}-${year}`;
}

/** The day that a request was about, by its first date; null for clients. */
export function requestedDay({
  operation,
  parameters,
}: Pick<ServiceResponse, 'operation' | 'parameters'>): Day | null {
  if (operation !== 'campaignSummary') return null;
  const [month, date, year] = String(parameters.startdate).split('-');
  return `${year}-${month}-${date}`;
}
