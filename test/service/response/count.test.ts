import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCount } from '../../../src/service/response/count.ts';
import { rounds } from '../../support/rounds.ts';

it.each<[unknown, number]>([
  [12, 12],
  [-0, 0],
  ['12', 12],
  [' 012 ', 12],
  ['+12', 12],
  ['-0', 0],
  ['12.0', 12],
  ['12.00', 12],
  ['1234.000', 1234],
  ['0.000', 0],
  ['12,0', 12],
  ['1e3', 1_000],
  ['1.5E3', 1_500],
  ['1,234', 1_234],
  ['1,000', 1_000],
  ['1,234,567', 1_234_567],
  ['12,34,567', 1_234_567],
  ['1,234.00', 1_234],
  ['1.234,00', 1_234],
  ['1.234.567', 1_234_567],
  ['1 234', 1_234],
  ['1\u00a0234', 1_234],
  ['1\u202f234,0', 1_234],
  ["1'234", 1_234],
  ['1’234', 1_234],
  ['1_234_567', 1_234_567],
  ['１２', 12],
  ['1　234', 1_234],
])('%j can only mean %i', (value, count) => {
  expect(readCount(value)).toBe(count);
});

it.each([
  '',
  ' ',
  'N/A',
  '-',
  '-1',
  '1.5',
  '1,5',
  '1.234',
  '1.000',
  '0,123',
  '1,23,4',
  '1,2345',
  '12 34',
  '1e-3',
  '0x10',
  '12 calls',
  '10²',
  '1½',
  '12①',
  'Ⅻ',
  '1.234,5',
  '9007199254740993',
  '1'.repeat(101),
  -1,
  1.5,
  2 ** 53,
  true,
  null,
  [],
  [12],
  {},
])('%j can mean more, or no count', (value) => {
  expect(readCount(value)).toBeNull();
});

it('a count is read however a locale writes it with its groups', () => {
  const locales = ['en', 'de-CH', 'fr', 'hi-IN', 'sv', 'en-ZA'];
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.constantFrom(...locales), (count, locale) => {
      expect(readCount(new Intl.NumberFormat(locale).format(count))).toBe(count);
    }),
    { numRuns: rounds(1_000) },
  );
});
