import type { CampaignRecord, ClientRecord, Reading } from '../../model/records.ts';
import { parseExactly } from './exact-json.ts';
import { clientEnvelope, readCampaigns, readClients, summaryEnvelope } from './wire.ts';

/** Reads the archived body of a campaign summary as it is read when it comes; it was a good answer then. */
export function readArchivedCampaigns(body: string): Reading<CampaignRecord> {
  return readCampaigns(summaryEnvelope.parse(parseExactly(body)).result);
}

/** Reads the archived body of a page of clients as it is read when it comes; it was a good answer then. */
export function readArchivedClients(body: string, balanceField: string | null): Reading<ClientRecord> {
  return readClients(clientEnvelope.parse(parseExactly(body)).data, balanceField);
}
