import { expect, test } from 'vitest';
import { type ErrorCode, endsRun, errorCatalogue, Failure, lineOf } from '../../src/model/errors.ts';
import { Interrupted } from '../../src/model/exit-code.ts';

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
    new Failure(code as ErrorCode, 'it failed').exitCode,
  ]);
  expect(Object.fromEntries(found)).toEqual(expected);
  expect(Object.keys(errorCatalogue).sort()).toEqual(Object.keys(expected).sort());
});

test('a failure says what happened and what to do on one line, even if its parts have line breaks', () => {
  const failure = new Failure('NO_WORKER', 'the server said:\r\n  450 later\n', {
    advice: 'wait,\tthen run again',
  });
  expect(lineOf(failure)).toBe('the server said: 450 later : wait, then run again');
});

test('a failure names its subject once, and says what to do by the catalogue or, if it knows better, by itself', () => {
  const subject = 'account north, campaigns of 2026-03-02';
  const usual = new Failure('RUN_IN_PROGRESS', 'another run is at work', { subject });
  expect([usual.subject, usual.detail, usual.message]).toEqual([
    subject,
    'another run is at work',
    `${subject}: another run is at work`,
  ]);
  expect(lineOf(usual)).toBe(`${subject}: another run is at work: ${errorCatalogue.RUN_IN_PROGRESS.advice}`);
  const special = new Failure('RUN_IN_PROGRESS', 'another run is at work', { advice: 'do nothing' });
  expect(lineOf(special)).toBe('another run is at work: do nothing');
});

test('an interruption, an outage of the database and a lack of workers end the run, and nothing else does', () => {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  expect(codes.filter((code) => endsRun(new Failure(code, 'it failed')))).toEqual([
    'WAREHOUSE_UNAVAILABLE',
    'NO_WORKER',
  ]);
  expect([new Interrupted('SIGTERM'), new Error('unexpected')].map(endsRun)).toEqual([true, false]);
});
