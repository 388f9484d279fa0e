import { expect, it } from 'vitest';
import { explain } from '../../src/cli/explain.ts';
import { createRedactor } from '../../src/support/redaction.ts';

const token = 'a-token-of-some-length';
const message = `getClients.wr?sidtoken=${token} failed`;

it.each([
  ['an internal error', new Error(message)],
  ['a file that cannot be read', Object.assign(new Error(message), { code: 'ENOENT', syscall: 'open' })],
])('the last lines of a command hold no token: of %s', (_, error) => {
  const redactor = createRedactor();
  redactor.learn(token);
  const { lines } = explain(error, redactor);
  expect(lines.join(' ')).toContain('getClients.wr');
  expect(lines.join(' ')).not.toContain(token);
});
