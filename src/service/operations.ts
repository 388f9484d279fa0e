import type { Day } from '../model/day.ts';
import type { Account, ServiceResponse, SummaryEnvelope } from '../model/records.ts';
import type { SendRequest } from './http/request-sender.ts';
import {
  type CampaignList,
  type ClientList,
  campaignSummarySchema,
  clientListSchema,
} from './response/schema.ts';

/** Parameters of the client list; `page` needs `limit`. */
export type ClientListParameters = {
  readonly limit?: number;
  readonly page?: number;
  readonly search?: string;
  readonly balance?: boolean;
};

/** Comes with the content of a good response. */
type Received = {
  /** The response as it is archived. */
  readonly response: ServiceResponse;
} & Pick<SummaryEnvelope, 'remarks' | 'emptyBy'>;

export type ClientPage = ClientList & Received;

/** @param mayBeMissing whether there may be no such page: then an unknown answer isn't requested again */
export type ListClients = (
  account: Account,
  parameters: ClientListParameters,
  mayBeMissing?: boolean,
) => Promise<ClientPage>;

/** Lists the clients that the account created. */
export function createListClients(send: SendRequest, balanceField: string | null): ListClients {
  const schema = clientListSchema(balanceField);
  return async (account, parameters, mayBeMissing = false) => {
    const subject = parameters.page === undefined ? 'clients' : `clients, page ${parameters.page}`;
    const { content, release, ...received } = await send(
      account,
      { subject, parameters, mayBeMissing },
      schema,
    );
    // A walk bounds the pages that wait for the load.
    release();
    return { ...content, ...received };
  };
}

/** The date that the service expects as the end of a range: the last day or the day after. */
export type WindowEnd = 'same-day' | 'next-day';

/** Days to sum up, both included, in the account's zone. `callsetId` limits the sums to one campaign. */
export type SummaryRange = { readonly from: Day; readonly to: Day; readonly callsetId?: number };

/** Disposed of once it is used: other responses may wait for that. */
export type Summary = CampaignList & Received & Disposable;

export type SummarizeCampaigns = (account: Account, range: SummaryRange) => Promise<Summary>;

/** Sums up the campaigns of an account over a range of days. */
export function createSummarizeCampaigns(send: SendRequest, windowEnd: WindowEnd): SummarizeCampaigns {
  return async (account, { from, to, callsetId }) => {
    const end = Temporal.PlainDate.from(to).add({ days: windowEnd === 'next-day' ? 1 : 0 });
    const request = {
      subject: from === to ? `campaigns of ${from}` : `campaigns of ${from} to ${to}`,
      parameters: {
        startdate: dateParameter(from),
        enddate: dateParameter(end.toString()),
        ...(callsetId !== undefined && { callsetid: callsetId }),
      },
      mayBeMissing: false,
    };
    const { content, release, ...received } = await send(account, request, campaignSummarySchema);
    return {
      ...content,
      ...received,
      [Symbol.dispose]: release,
    };
  };
}

/** Formats a date as `MM-DD-YYYY`. */
function dateParameter(day: Day): string {
  const [year, month, date] = day.split('-');
  return `${month}-${date}-${year}`;
}

/** Returns the first day of a request's range; null for clients. */
export function requestedDay({
  operation,
  parameters,
}: Pick<ServiceResponse, 'operation' | 'parameters'>): Day | null {
  if (operation !== 'campaignSummary') return null;
  const [month, date, year] = String(parameters.startdate).split('-');
  return `${year}-${month}-${date}`;
}
