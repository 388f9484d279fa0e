import { describe, expect, it } from 'vitest';
import { parseArchived, parseResponse } from '../../../src/service/response/parse-response.ts';
import { campaignSummarySchema, clientListSchema } from '../../../src/service/response/schema.ts';
import { createRedactor } from '../../../src/support/redaction.ts';

const token = 'raw+token/12';
const redactor = createRedactor();
redactor.learn(token);

describe('an archived body', () => {
  it.each([
    ['plain', { callsetid: 1, campaign: 'A', attempts: '12' }],
    ['with a number that a double would round', { callsetid: 1, attempts: 2, note: 0 }],
    ['that repeats the token', { callsetid: 1, campaign: token, attempts: 12, [token]: token }],
    ['with an invalid record', { callsetid: -1, campaign: token }],
  ])('%s parses to what its request returned', (_, record) => {
    const received = JSON.stringify({ result: [record] }).replace('"note":0', '"note":12345678901234567890');
    const { content, body } = parseResponse(received, campaignSummarySchema, redactor);
    expect(parseArchived(body, campaignSummarySchema)).toEqual(content);
    expect(body).not.toContain(token);
  });

  it('of a page of clients keeps its balance, counts and remarks', () => {
    const received = JSON.stringify({
      page: 1,
      pages: 'two',
      clients: 3,
      count: null,
      data: [{ clientid: 1, clientname: 'A', balance: 'n/a' }, 'text'],
    });
    const schema = clientListSchema(null);
    const { content, body } = parseResponse(received, schema, redactor);
    expect(body).toBe(received);
    expect(parseArchived(body, schema)).toEqual(content);
    expect(content).toEqual({
      page: 1,
      pages: null,
      limit: null,
      rows: 2,
      counts: { clients: 3 },
      records: [{ clientId: 1, name: 'A', checksum: null, balance: null, extra: { balance: 'n/a' } }],
      rejects: [{ payload: '"text"', reason: expect.stringMatching(/^record: /), id: null }],
      remarks: ['the balance in balance is not an amount: kept in extra'],
    });
  });

  it('of a record that is refused says which field, and why', () => {
    const { content } = parseResponse(
      '{"result":[{"callsetid":7,"attempts":-1,"busies":"1.5"}]}',
      campaignSummarySchema,
      redactor,
    );
    const invalid = 'not a whole number from 0 to 2^53 - 1';
    expect(content.rejects).toEqual([
      { payload: expect.any(String), reason: `attempts: ${invalid}; busies: ${invalid}`, id: 7 },
    ]);
  });
});
