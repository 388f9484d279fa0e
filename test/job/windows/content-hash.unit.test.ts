import { expect, test } from 'vitest';
import { contentHash } from '../../../src/job/windows/decide.ts';
import { type CampaignRecord, countNames } from '../../../src/model/records.ts';

const record = (callsetId: number, part: Partial<CampaignRecord> = {}): CampaignRecord => ({
  callsetId,
  campaign: `Campaign ${callsetId}`,
  attempts: 100,
  busies: 10,
  connects: 60,
  liveAnswers: 40,
  extra: {},
  ...part,
});

test('the hash depends neither on the order of a response nor on names and extra fields', () => {
  const renamed = [record(10), record(1, { campaign: null, extra: { cost: 1 } }), record(2)];
  expect(contentHash(renamed)).toBe(contentHash([record(1), record(2), record(10)]));
});

test('another value of any one count gives another hash, null instead of 0 included', () => {
  const hashes = countNames.flatMap((name) =>
    [0, null, 1].map((value) => contentHash([record(1, { [name]: value })])),
  );
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('another set of ids gives another hash', () => {
  const hashes = [[], [1], [2], [1, 2]].map((ids) => contentHash(ids.map((id) => record(id))));
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('a count can’t be taken for its neighbour, nor a digit of an id for one of a count', () => {
  expect(contentHash([record(1, { attempts: 12, busies: 3 })])).not.toBe(
    contentHash([record(1, { attempts: 1, busies: 23 })]),
  );
  expect(contentHash([record(11, { attempts: 1 })])).not.toBe(contentHash([record(1, { attempts: 11 })]));
});
