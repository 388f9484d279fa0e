import type { Account } from '../model/account.ts';
import type { HeardAnswer } from '../model/answer.ts';
import type { Day } from '../model/day.ts';
import type { CampaignRecord, Reading } from '../model/records.ts';
import type { Ask } from './http/http.ts';
import { readCampaigns, summaryEnvelope } from './response/wire.ts';

/** Days of a question, both included, in the account's zone; `callsetId` narrows it to one campaign. */
export type SummaryQuestion = { readonly from: Day; readonly to: Day; readonly callsetId?: number };

/** What an answer says of the campaigns, and the answer as it is archived. */
export type Summary = Reading<CampaignRecord> & { readonly answer: HeardAnswer };

export type SummarizeCampaigns = (account: Account, question: SummaryQuestion) => Promise<Summary>;

/** Sums up the campaigns of an account over a range of days (service.md 4.2). */
export function createSummarizeCampaigns(ask: Ask, windowEnd: 'same-day' | 'next-day'): SummarizeCampaigns {
  return async (account, { from, to, callsetId }) => {
    const last = Temporal.PlainDate.from(to).add({ days: windowEnd === 'next-day' ? 1 : 0 });
    const parameters = {
      startdate: wireDate(from),
      enddate: wireDate(last.toString()),
      callsetid: callsetId,
    };
    const about = from === to ? `campaigns of ${from}` : `campaigns of ${from} to ${to}`;
    const question = { operation: 'campaignSummary', about, parameters } as const;
    const { envelope, answer } = await ask(account, question, summaryEnvelope);
    return { ...readCampaigns(envelope.result), answer };
  };
}

/** `MM-DD-YYYY`, the form of both dates on the wire (service.md 4.2). */
export function wireDate(day: Day): string {
  const [year, month, date] = day.split('-');
  return `${month}-${date}-${year}`;
}
