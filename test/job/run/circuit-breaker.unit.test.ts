import { describe, expect, it } from 'vitest';
import { createCircuitBreaker } from '../../../src/job/run/circuit-breaker.ts';
import { type ErrorCode, Failure } from '../../../src/model/errors.ts';

const failure = (code: ErrorCode) => new Failure(code, 'it failed');
const unavailable = failure('SERVICE_UNAVAILABLE');

/** Whether it gives up after these items: an account, and the code of its error if it failed. */
function givesUp(
  items: readonly (readonly [account: string, code?: ErrorCode])[],
  { maxInARow = 16, accounts = 40 } = {},
): boolean {
  const breaker = createCircuitBreaker(maxInARow, accounts);
  for (const [account, code] of items) breaker.record(account, code === undefined ? null : failure(code));
  return breaker.signal.aborted;
}

const down = (count: number, names = ['a', 'b', 'c']) =>
  Array.from({ length: count }, (_, index) => [names[index % names.length]!, 'SERVICE_UNAVAILABLE'] as const);

describe('a run gives up an operation', () => {
  it('after as many items in a row as it may, with the last error', () => {
    const breaker = createCircuitBreaker(16, 40);
    for (const [account] of down(15)) breaker.record(account, unavailable);
    expect(breaker.signal.aborted).toBe(false);
    breaker.record('d', unavailable);
    expect(breaker.signal.reason).toBe(unavailable);
  });

  it('after ten at least, however few are requested at once', () => {
    expect(givesUp(down(9), { maxInARow: 2 })).toBe(false);
    expect(givesUp(down(10), { maxInARow: 2 })).toBe(true);
  });

  it('only if three accounts fail, or all that there are', () => {
    expect(givesUp(down(400, ['a', 'b']))).toBe(false);
    expect(givesUp(down(16, ['a', 'b']), { accounts: 2 })).toBe(true);
    expect(givesUp(down(16, ['a']), { accounts: 1 })).toBe(true);
  });

  it('not if the service responds in between, with whatever', () => {
    expect(givesUp([...down(15), ['a'], ...down(15)])).toBe(false);
    expect(givesUp([...down(15), ['a', 'INVALID_RESPONSE'], ...down(15)])).toBe(false);
    expect(givesUp([...down(10), ['a'], ...down(16, ['d', 'e'])])).toBe(false);
  });

  const refused = (accounts: number) =>
    Array.from({ length: 400 }, (_, index) => [`r${index % accounts}`, 'TOKEN_REFUSED'] as const);

  it('without regard to a few refused tokens, which neither count nor interrupt', () => {
    expect(givesUp(refused(9))).toBe(false);
    expect(givesUp([...down(15), ...refused(9)])).toBe(false);
    expect(givesUp([...down(15), ...refused(9), ...down(1)])).toBe(true);
  });

  it('once ten tokens are refused and none is accepted', () => {
    expect(givesUp(refused(10))).toBe(true);
    expect(givesUp([['a'], ...refused(400)])).toBe(false);
  });
});
