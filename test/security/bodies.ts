import { parseResponse } from '../../src/service/response/parse-response.ts';
import { campaignSummarySchema } from '../../src/service/response/schema.ts';
import { createRedactor } from '../../src/support/redaction.ts';

/** Parses a body of campaigns as a request does. */
export const parseCampaigns = (body: string) => parseResponse(body, campaignSummarySchema, createRedactor());
