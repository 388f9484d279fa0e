import { describe, expect, it } from 'vitest';
import type { SendRequest } from '../../src/service/http/request-sender.ts';
import { createListClients, createSummarizeCampaigns, requestedDay } from '../../src/service/operations.ts';
import { serviceResponse } from '../support/service-response.ts';
import { account } from './account.ts';

/** Sends nothing: what it was asked to send. */
function recorder(body: object) {
  const sent: object[] = [];
  const response = serviceResponse();
  const send: SendRequest = async (who, request, schema) => {
    sent.push({ who, request });
    return { content: schema.parse(body), response, notice: 'late' };
  };
  return { sent, send, response };
}

describe('the client list', () => {
  it('is requested by its parameters, and named by its page', async () => {
    const { sent, send, response } = recorder({ data: [{ clientid: 1, credit: '5' }] });
    const list = createListClients(send, 'credit');
    expect(await list(account, { limit: 5 })).toEqual({
      page: null,
      pages: null,
      limit: null,
      rows: 1,
      counts: {},
      records: [{ clientId: 1, name: null, checksum: null, balance: '5', extra: {} }],
      rejects: [],
      rejectCount: 0,
      remarks: [],
      response,
      notice: 'late',
    });
    await list(account, { limit: 5, page: 0 });
    const operation = 'getClients';
    expect(sent).toEqual([
      { who: account, request: { operation, about: 'clients', parameters: { limit: 5 } } },
      {
        who: account,
        request: { operation, about: 'clients, page 0', parameters: { limit: 5, page: 0 } },
      },
    ]);
  });
});

describe('the summary of campaigns', () => {
  const requestOf = async (
    windowEnd: 'same-day' | 'next-day',
    range: Parameters<ReturnType<typeof createSummarizeCampaigns>>[1],
  ) => {
    const { sent, send, response } = recorder({ reports: 2, result: [] });
    expect(await createSummarizeCampaigns(send, windowEnd)(account, range)).toEqual({
      rows: 0,
      counts: { reports: 2 },
      records: [],
      rejects: [],
      rejectCount: 0,
      remarks: [],
      response,
      notice: 'late',
    });
    expect(sent).toEqual([{ who: account, request: expect.anything() }]);
    return (sent[0] as { readonly request: object }).request;
  };

  it('is requested by its days, and named by them', async () => {
    expect(await requestOf('same-day', { from: '2026-02-28', to: '2026-02-28' })).toStrictEqual({
      operation: 'campaignSummary',
      about: 'campaigns of 2026-02-28',
      parameters: { startdate: '02-28-2026', enddate: '02-28-2026' },
    });
    expect(await requestOf('next-day', { from: '2025-12-30', to: '2025-12-31', callsetId: 7 })).toStrictEqual(
      {
        operation: 'campaignSummary',
        about: 'campaigns of 2025-12-30 to 2025-12-31',
        parameters: { startdate: '12-30-2025', enddate: '01-01-2026', callsetid: 7 },
      },
    );
  });

  it('is of the day with which its request begins; a client list is of none', () => {
    const parameters = { startdate: '02-28-2026', enddate: '03-01-2026' };
    expect(requestedDay({ operation: 'campaignSummary', parameters })).toBe('2026-02-28');
    expect(requestedDay({ operation: 'getClients', parameters: {} })).toBeNull();
  });
});
