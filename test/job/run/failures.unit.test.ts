import { expect, it } from 'vitest';
import { toItemFailure } from '../../../src/job/run/failures.ts';
import type { Run } from '../../../src/job/run/run.ts';
import { createRedactor } from '../../../src/support/redaction.ts';

it('a long unexpected error is cut before it is redacted, and shows no part of a secret', () => {
  const redactor = createRedactor();
  const secret = 'a-token-of-20-signs!';
  redactor.learn(secret);
  let looked = 0;
  const redact: Run['redact'] = (text, maxLength = text.length) => {
    looked += Math.min(text.length, maxLength);
    return redactor.redact(text, maxLength);
  };
  const run = { signal: new AbortController().signal, redact } as Run;
  const failure = toItemFailure(new Error(secret.repeat(30_000)), run, 'account main');
  expect(failure.message).toMatch(/^account main: internal error of Callsheet \((\[redacted\])+\[?[a-z]*\)$/);
  expect(failure.stack).not.toMatch(/a-t|oken/);
  expect(looked).toBeLessThan(20_000);
});
