import { expect, test } from 'vitest';
import { Failure, type FailureKind, usageFailure } from '../../src/model/failure.ts';

test('each kind of failure ends the process with the exit code of the contract', () => {
  const expected: Record<FailureKind, number> = {
    usage: 64,
    configuration: 78,
    'schema too old': 78,
    'token refused': 77,
    'request refused': 75,
    'service unavailable': 69,
    'walk incomplete': 75,
    'answer not understood': 75,
    'warehouse unavailable': 69,
    'another run': 75,
    'no worker': 75,
    unfinished: 75,
    mail: 75,
    internal: 1,
  };
  for (const [kind, code] of Object.entries(expected)) {
    expect(new Failure(kind as FailureKind, 'it failed', 'do this').exitCode, kind).toBe(code);
  }
});

test('a failure says what happened and what to do on one line, even if its parts have line breaks', () => {
  const failure = new Failure('mail', 'the server said:\r\n  450 later\n', 'wait,\tthen run again');
  expect(failure.line).toBe('the server said: 450 later : wait, then run again');
});

test('a failure is an error that carries no cause', () => {
  const failure = usageFailure('--from is after --to');
  expect(failure).toBeInstanceOf(Error);
  expect(failure.name).toBe('Failure');
  expect(failure.cause).toBeUndefined();
  expect(failure.line).toBe('--from is after --to: see --help');
});
