import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, takeBalance } from '../../../src/service/response/balance.ts';

describe('an amount', () => {
  it.each([
    ['1,234.50', '1234.50'],
    ['123,456', '123456'],
    ['-$3.10', '-3.10'],
    ['$-3.10', '-3.10'],
    ['€1,234,567.8', '1234567.8'],
    ['USD 7.00', '7.00'],
    ['7.00 EUR', '7.00'],
    ['EUR5', '5'],
    ['5 €', '5'],
    ['€ 1.234,50', '1234.50'],
    ['1 234,5 EUR', '1234.5'],
    ['1,23', '1.23'],
    ['€1.234.567', '1234567'],
    ['1234.567', '1234.567'],
    ['0.123', '0.123'],
    [1.234, '1.234'],
    [' 0.00 ', '0.00'],
    [12.5, '12.5'],
    [0, '0'],
    [-1e20, '-100000000000000000000'],
    ['123456789012345678901234.01', '123456789012345678901234.01'],
  ])('%j is %s', (value, decimal) => {
    expect(amount(value)).toBe(decimal);
  });

  it.each([
    '',
    'n/a',
    '€1.234',
    '1.000',
    '-12.345 EUR',
    '10²',
    '0,123',
    '12,34.5',
    '--3',
    '-$-3',
    '1e5',
    '0x10',
    '١٢',
    'Infinity',
    '5x',
    'EURO5',
    5e-7,
    1e21,
    true,
    {},
    null,
  ])('%j is not an amount', (value) => {
    expect(amount(value)).toBeNull();
  });

  it('is exactly what was received, however many digits it has', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.integer({ min: 0, max: 99 }),
        fc.boolean(),
        (whole, cents, minus) => {
          const decimal = `${minus ? '-' : ''}${whole}.${String(cents).padStart(2, '0')}`;
          const grouped = decimal.replace(/\B(?=(\d{3})+(?!\d)(?=.*\.))/g, ',').replace(/^(-?)/, '$1$$');
          expect([amount(decimal), amount(grouped)]).toEqual([decimal, decimal]);
        },
      ),
    );
  });
});

describe('the balance among the further fields', () => {
  it('is the only field with "balance" in its name', () => {
    expect(takeBalance({ accountBalance: '5', note: 'x' }, null)).toEqual({
      balance: '5',
      extra: { note: 'x' },
      remark: null,
    });
  });

  it('is the field that the settings name, whatever others there are', () => {
    expect(takeBalance({ balance: '5', credit: '7' }, 'credit')).toEqual({
      balance: '7',
      extra: { balance: '5' },
      remark: null,
    });
  });

  it.each([
    [{ balance: '5', oldBalance: '6' }, /several.*balance, oldBalance.*BALANCE_FIELD/],
    [{ balance: 'n/a' }, /balance can't be read as one amount/],
  ])('stays in extra where it is ambiguous or not an amount: %j', (extra, remark) => {
    expect(takeBalance(extra, null)).toMatchObject({
      balance: null,
      extra,
      remark: expect.stringMatching(remark),
    });
  });

  it('is null where none is reported', () => {
    expect(takeBalance({ balance: null }, null)).toEqual({ balance: null, extra: {}, remark: null });
    expect(takeBalance({ note: 1 }, null)).toEqual({ balance: null, extra: { note: 1 }, remark: null });
  });
});

it('a balance has a hundred signs at most, and its remark five names', () => {
  expect(amount('9'.repeat(100))).toBe('9'.repeat(100));
  expect(amount('9'.repeat(101))).toBeNull();
  const fields = ['f', 'e', 'd', 'c', 'b', 'a'].map((letter) => [`balance-${letter}`, '1']);
  expect(takeBalance(Object.fromEntries(fields), null).remark).toBe(
    'several fields name a balance (balance-a, balance-b, balance-c, balance-d, balance-e): set BALANCE_FIELD to one of them',
  );
});
