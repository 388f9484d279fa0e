import type { Day } from '../model/day.ts';
import type { Account, CampaignRecord, Reading, ServiceResponse } from '../model/records.ts';
import type { SendRequest } from './http/request-sender.ts';
import { campaignSummarySchema } from './response/schema.ts';

/** Days to sum up, both included, in the account's zone; `callsetId` narrows them to one campaign. */
export type SummaryRange = { readonly from: Day; readonly to: Day; readonly callsetId?: number };

/** The campaigns of a response, and the response as it is archived. */
export type Summary = Reading<CampaignRecord> & { readonly response: ServiceResponse };

export type SummarizeCampaigns = (account: Account, range: SummaryRange) => Promise<Summary>;

/** Sums up the campaigns of an account over a range of days (service.md 4.2). */
export function createSummarizeCampaigns(
  send: SendRequest,
  windowEnd: 'same-day' | 'next-day',
): SummarizeCampaigns {
  return async (account, { from, to, callsetId }) => {
    const end = Temporal.PlainDate.from(to).add({ days: windowEnd === 'next-day' ? 1 : 0 });
    const parameters = {
      startdate: dateParameter(from),
      enddate: dateParameter(end.toString()),
      callsetid: callsetId,
    };
    const about = from === to ? `campaigns of ${from}` : `campaigns of ${from} to ${to}`;
    const request = {
      operation: 'campaignSummary',
      about,
      parameters,
    } as const;
    const { content, response } = await send(account, request, campaignSummarySchema);
    return { ...content, response };
  };
}

/** `MM-DD-YYYY`, the format of both dates (service.md 4.2). */
function dateParameter(day: Day): string {
  const [year, month, date] = day.split('-');
  return `${month}-${date}-${year}`;
}
