import { expect, test } from 'vitest';
import { type ErrorCode, errorCatalogue, Failure, usageFailure } from '../../src/model/errors.ts';

test('each error code ends the process with the exit code of the contract', () => {
  const expected: Record<ErrorCode, number> = {
    INVALID_ARGUMENTS: 64,
    INVALID_CONFIGURATION: 78,
    SCHEMA_TOO_OLD: 78,
    TOKEN_REFUSED: 77,
    REQUEST_REFUSED: 75,
    SERVICE_UNAVAILABLE: 69,
    WALK_INCOMPLETE: 75,
    INVALID_RESPONSE: 75,
    WAREHOUSE_UNAVAILABLE: 69,
    RUN_IN_PROGRESS: 75,
    NO_WORKER: 75,
    WINDOW_UNFINISHED: 75,
    INTERNAL: 1,
  };
  const found = Object.entries(expected).map(([code]) => [
    code,
    new Failure(code as ErrorCode, 'it failed', 'do this').exitCode,
  ]);
  expect(Object.fromEntries(found)).toEqual(expected);
  expect(Object.keys(errorCatalogue).sort()).toEqual(Object.keys(expected).sort());
});

test('a failure says what happened and what to do on one line, even if its parts have line breaks', () => {
  const failure = new Failure('NO_WORKER', 'the server said:\r\n  450 later\n', 'wait,\tthen run again');
  expect(failure.line).toBe('the server said: 450 later : wait, then run again');
});

test('a failure is an error that carries no cause', () => {
  const failure = usageFailure('--from is after --to');
  expect(failure).toBeInstanceOf(Error);
  expect(failure.name).toBe('Failure');
  expect(failure.cause).toBeUndefined();
  expect(failure.line).toBe('--from is after --to: see --help');
});
