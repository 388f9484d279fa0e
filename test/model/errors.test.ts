import { expect, test } from 'vitest';
import { type ErrorCode, endsRun, errorCatalogue, Failure, lineOf } from '../../src/model/errors.ts';
import { gravest, Interrupted } from '../../src/model/exit-code.ts';

test('each error code ends the process with the exit code of the contract', () => {
  const expected: Record<ErrorCode, number> = {
    INVALID_ARGUMENTS: 64,
    INVALID_CONFIGURATION: 78,
    SCHEMA_TOO_OLD: 78,
    TOKEN_REFUSED: 77,
    CLIENT_LIST_REFUSED: 75,
    NOT_REQUESTED: 75,
    REQUEST_REFUSED: 75,
    UNKNOWN_ANSWER: 75,
    SERVICE_UNAVAILABLE: 69,
    WALK_INCOMPLETE: 75,
    INVALID_RESPONSE: 75,
    WAREHOUSE_UNAVAILABLE: 69,
    DATABASE_FULL: 69,
    DATABASE_READ_ONLY: 69,
    RUN_IN_PROGRESS: 75,
    NO_WORKER: 75,
    WINDOW_UNFINISHED: 75,
    INTERNAL: 1,
  };
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  const found = codes.map((code) => [code, new Failure(code, 'it failed').exitCode]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

test.each([
  [[], 0],
  [[0, 0], 0],
  [[75, 0], 75],
  [[75, 77], 77],
  [[69, 77], 77],
  [[75, 77, 78], 78],
  [[1, 78], 1],
] as const)('of the exit codes %j, what a retry cannot heal wins: %i', (codes, wins) => {
  expect(gravest(codes)).toBe(wins);
});

test('an interruption ends with 128 and the number of its signal', () => {
  expect(new Interrupted('SIGINT').exitCode).toBe(130);
  expect(new Interrupted('SIGTERM').exitCode).toBe(143);
  expect(new Interrupted('SIGTERM').message).toContain('SIGTERM');
});

test('a failure is one line: its subject once, what happened, and what to do by the catalogue or by itself', () => {
  const subject = 'account north, campaigns of 2026-03-02';
  const usual = new Failure('RUN_IN_PROGRESS', 'another run is running', { subject });
  expect(lineOf(usual)).toBe(`${subject}: another run is running: ${errorCatalogue.RUN_IN_PROGRESS.advice}`);
  const special = new Failure('NO_WORKER', 'the server said:\r\n  450 later\n', {
    advice: 'wait,\tthen run again',
  });
  expect(lineOf(special)).toBe('the server said: 450 later : wait, then run again');
});

test('an interruption, an outage of the database and a lack of workers end the run, and nothing else does', () => {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  expect(codes.filter((code) => endsRun(new Failure(code, 'it failed')))).toEqual([
    'WAREHOUSE_UNAVAILABLE',
    'DATABASE_FULL',
    'DATABASE_READ_ONLY',
    'NO_WORKER',
  ]);
  expect([new Interrupted('SIGTERM'), new Error('unexpected')].map(endsRun)).toEqual([true, false]);
});
