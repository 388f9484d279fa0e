import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentHash } from '../../../src/job/windows/decide.ts';
import { countNames } from '../../../src/model/records.ts';
import { extra, record, responses, shuffled } from './campaign-records.ts';

test('a content hash is a SHA-256 in hexadecimal, that of no text for an empty response', () => {
  expect(contentHash([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(contentHash([record(7)])).toMatch(/^[0-9a-f]{64}$/);
});

test('the hash is that of the records sorted by id', () => {
  const hashes = [
    [1, 2, 10],
    [10, 1, 2],
    [2, 10, 1],
  ].map((ids) => contentHash(ids.map((id) => record(id))));
  expect(new Set(hashes).size).toBe(1);
});

test('the hash depends neither on the order of a response nor on names and extra fields', () => {
  fc.assert(
    fc.property(shuffled, fc.string(), extra, ([response, reordered], campaign, extra) => {
      const renamed = reordered.map((record) => ({ ...record, campaign, extra }));
      expect(contentHash(reordered)).toBe(contentHash(response));
      expect(contentHash(renamed)).toBe(contentHash(response));
    }),
  );
});

test('another value of any one count gives another hash, null instead of 0 included', () => {
  const changes = responses
    .filter((response) => response.length > 0)
    .chain((response) =>
      fc.tuple(
        fc.constant(response),
        fc.nat({ max: response.length - 1 }),
        fc.constantFrom(...countNames),
        fc.constantFrom(null, 0, 1, 2, 3, 10),
      ),
    );
  fc.assert(
    fc.property(changes, ([response, index, name, value]) => {
      fc.pre(response[index]![name] !== value);
      expect(contentHash(response.with(index, { ...response[index]!, [name]: value }))).not.toBe(
        contentHash(response),
      );
    }),
  );
});

test('another set of ids gives another hash', () => {
  fc.assert(
    fc.property(responses, fc.integer({ min: 100, max: 2 ** 40 }), (response, id) => {
      const longer = [...response, record(id)];
      expect(contentHash(longer)).not.toBe(contentHash(response));
      expect(contentHash([...response, record(id + 1)])).not.toBe(contentHash(longer));
    }),
  );
});

test('a count can’t be taken for its neighbour, nor a digit of an id for one of a count', () => {
  expect(contentHash([record(1, { attempts: 12, busies: 3 })])).not.toBe(
    contentHash([record(1, { attempts: 1, busies: 23 })]),
  );
  expect(contentHash([record(11, { attempts: 1 })])).not.toBe(contentHash([record(1, { attempts: 11 })]));
});
