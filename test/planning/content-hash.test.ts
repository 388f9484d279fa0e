import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countNames } from '../../src/model/records.ts';
import { contentHash } from '../../src/planning/content-hash.ts';
import { answers, extra, record, shuffled } from './campaign-records.ts';

test('a content hash is a SHA-256 in hexadecimal, that of no text for an empty answer', () => {
  expect(contentHash([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(contentHash([record(7)])).toMatch(/^[0-9a-f]{64}$/);
});

test('the order of an answer leaves its hash as it is, and so do names and extra fields', () => {
  fc.assert(
    fc.property(shuffled, fc.string(), extra, ([answer, turned], campaign, extra) => {
      const renamed = turned.map((record) => ({ ...record, campaign, extra }));
      expect(contentHash(turned)).toBe(contentHash(answer));
      expect(contentHash(renamed)).toBe(contentHash(answer));
    }),
  );
});

test('another value of any one count gives another hash, null instead of 0 included', () => {
  const changes = answers
    .filter((answer) => answer.length > 0)
    .chain((answer) =>
      fc.tuple(
        fc.constant(answer),
        fc.nat({ max: answer.length - 1 }),
        fc.constantFrom(...countNames),
        fc.constantFrom(null, 0, 1, 2, 3, 10),
      ),
    );
  fc.assert(
    fc.property(changes, ([answer, index, name, value]) => {
      fc.pre(answer[index]![name] !== value);
      expect(contentHash(answer.with(index, { ...answer[index]!, [name]: value }))).not.toBe(
        contentHash(answer),
      );
    }),
  );
});

test('another set of ids gives another hash', () => {
  fc.assert(
    fc.property(answers, fc.integer({ min: 100, max: 2 ** 40 }), (answer, id) => {
      const longer = [...answer, record(id)];
      expect(contentHash(longer)).not.toBe(contentHash(answer));
      expect(contentHash([...answer, record(id + 1)])).not.toBe(contentHash(longer));
    }),
  );
});

test('counts can’t wander from one to its neighbour, nor digits from an id to a count', () => {
  expect(contentHash([record(1, { attempts: 12, busies: 3 })])).not.toBe(
    contentHash([record(1, { attempts: 1, busies: 23 })]),
  );
  expect(contentHash([record(11, { attempts: 1 })])).not.toBe(contentHash([record(1, { attempts: 11 })]));
});
