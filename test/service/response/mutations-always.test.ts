import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCount } from '../../../src/service/response/count.ts';
import { parseExactly } from '../../../src/service/response/exact-json.ts';
import { parseResponse } from '../../../src/service/response/parse-response.ts';
import { campaignSummarySchema, clientListSchema } from '../../../src/service/response/schema.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { createRedactor } from '../../../src/support/redaction.ts';
import { rounds } from '../../support/rounds.ts';

const redactor = createRedactor();
const dataset = generateDataset();
const day = Temporal.PlainDate.from('2026-03-02');
const campaigns = JSON.stringify({ campaigns: 8, reports: 8, result: dataset.campaigns('valley', day, day) });
const clients = JSON.stringify({
  apirid: '',
  page: 1,
  pages: 9,
  limit: 8,
  data: dataset.clients('valley').slice(0, 8),
});

/** Things a field might hold that nobody expects. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    '12',
    ' 7 ',
    -1,
    1.5,
    2 ** 53,
    -0,
    true,
    [],
    {},
    '\0',
    '\ud800',
    '1e3',
    '９',
  ),
  fc.jsonValue(),
);

/** Where in a response, and what happens there. */
const mutation = fc.record({
  index: fc.nat(7),
  field: fc.nat(12),
  act: fc.constantFrom('set', 'drop', 'rename', 'replace record', 'repeat record', 'set envelope'),
  value: odd,
});

type Loose = Record<string, unknown>;

type Mutation = { index: number; field: number; act: string; value: unknown };

function mutate(text: string, list: 'data' | 'result', { index, field, act, value }: Mutation): string {
  const response = JSON.parse(text) as Loose;
  const records = response[list] as Loose[];
  const record = records[index % records.length]!;
  if (typeof record !== 'object' || record === null) return text;
  const keys = Object.keys(record);
  const key = keys[field % keys.length] ?? 'x';
  if (act === 'set') record[key] = value;
  if (act === 'drop') delete record[key];
  if (act === 'rename') record[`${key}2`] = record[key];
  if (act === 'replace record') records[index % records.length] = value as Loose;
  if (act === 'repeat record') records.push({ ...record, [key]: value });
  if (act === 'set envelope') response[Object.keys(response)[field % Object.keys(response).length]!] = value;
  return JSON.stringify(response);
}

/** The envelope is mutated last, for then there may be no records any more. */
const recordAct = (act: string) => (act === 'set envelope' ? 'set' : act);

/** Every received record is either parsed or in quarantine; an identical repetition counts once. */
function expectNothingLost(
  raw: readonly unknown[],
  { records, rejects }: { records: readonly unknown[]; rejects: readonly { reason: string }[] },
) {
  // 12 and '12' say the same, and so do null, nothing and what can't be read.
  const counts = ['callsetid', 'clientid', 'attempts', 'busies', 'connects', 'liveanswers'];
  const names = ['campaign', 'clientname', 'checksum'];
  const isKept = (value: unknown) =>
    typeof value !== 'string' || (!value.includes('\0') && value.isWellFormed());
  const textOf = (each: unknown) =>
    JSON.stringify(each, (name, value) => {
      if (counts.includes(name)) return readCount(value) ?? undefined;
      if (names.includes(name))
        return ['string', 'number'].includes(typeof value) && isKept(value) ? String(value) : undefined;
      return isKept(value) ? (value ?? undefined) : undefined;
    });
  const distinct = new Set(raw.map(textOf)).size;
  expect(records.length + rejects.length).toBeGreaterThanOrEqual(distinct);
  expect(records.length + rejects.length).toBeLessThanOrEqual(raw.length);
  for (const { reason } of rejects) expect(reason).not.toBe('');
}

const listIn = (text: string, list: 'data' | 'result') => (parseExactly(text) as Loose)[list] as unknown[];

describe('a response, mutated in thousands of ways', () => {
  it('of campaigns: every record is parsed or in quarantine, none is lost, nothing crashes', () => {
    fc.assert(
      fc.property(mutation, mutation, (one, other) => {
        const text = mutate(
          mutate(campaigns, 'result', { ...one, act: recordAct(one.act) }),
          'result',
          other,
        );
        const answer = parseResponse(
          { status: 200, body: text },
          campaignSummarySchema,
          redactor,
          () => false,
        );
        if ('sign' in answer) return;
        const list = listIn(text, 'result');
        // An object may be read as a list of its values.
        if (Array.isArray(list)) expectNothingLost(list, answer.content);
        for (const record of answer.content.records) {
          for (const count of [record.attempts, record.busies, record.connects, record.liveAnswers]) {
            expect(count === null || (Number.isSafeInteger(count) && count >= 0)).toBe(true);
          }
        }
      }),
      { numRuns: rounds(5_000) },
    );
  });

  it('of clients: every record is parsed or in quarantine, none is lost, nothing crashes', () => {
    fc.assert(
      fc.property(mutation, (one) => {
        const text = mutate(clients, 'data', one);
        const answer = parseResponse(
          { status: 200, body: text },
          clientListSchema(null),
          redactor,
          () => false,
        );
        const list = listIn(text, 'data');
        if (!('sign' in answer) && Array.isArray(list)) expectNothingLost(list, answer.content);
      }),
      { numRuns: rounds(5_000) },
    );
  });
});
