import { expect, test } from 'vitest';
import { exitCode, gravest, Interrupted } from '../../src/model/exit-code.ts';

test('the exit codes are those of the contract', () => {
  expect(exitCode).toEqual({
    done: 0,
    internal: 1,
    usage: 64,
    unavailable: 69,
    runAgain: 75,
    tokenRefused: 77,
    configuration: 78,
  });
});

test('nothing that failed ends with 0', () => {
  expect(gravest([])).toBe(0);
  expect(gravest([exitCode.done, exitCode.done])).toBe(0);
});

test('what a retry cannot heal wins: 78, then 77, then 75', () => {
  expect(gravest([75, 77, 78])).toBe(78);
  expect(gravest([75, 77])).toBe(77);
  expect(gravest([75, 0])).toBe(75);
  expect(gravest([69, 77])).toBe(77);
  expect(gravest([1, 78])).toBe(1);
});

test('an interruption ends with 128 and the number of its signal', () => {
  expect(new Interrupted('SIGINT').exitCode).toBe(130);
  expect(new Interrupted('SIGTERM').exitCode).toBe(143);
  expect(new Interrupted('SIGTERM').message).toContain('SIGTERM');
});
