import { expect, test } from 'vitest';
import { composeAlert } from '../../../src/digest/render/alert.ts';
import type { ActiveAlert } from '../../../src/model/alert.ts';

const alert: ActiveAlert = {
  code: 'TOKEN_REFUSED',
  key: 'TOKEN_REFUSED/valley',
  account: 'valley',
  severity: 'error',
  title: 'valley: token refused',
  cause: 'The service refuses <b>the token</b>.',
  since: null,
  days: [],
  affects: ['clients'],
  retried: false,
  steps: [
    { text: 'Write the new token to SIDTOKEN', command: null },
    { text: 'Then', command: ['run', '--account', 'east valley'] },
  ],
  dismissed: false,
};

const held = { ...alert, title: 'coast: held', since: '2026-03-04', steps: [] };

test('an alert mail has cause, manual step and command of each alert, and names what is over', () => {
  const { subject, text, html } = composeAlert([alert, held], ['coast: <no walk>', 'valley: late']);
  expect(subject).toBe('Callsheet needs you: valley: token refused and 1 more');
  expect(text).toBe(`2 things need your attention.

valley: token refused
  The service refuses <b>the token</b>.
  To do:  Write the new token to SIDTOKEN.
  Then:  npm start -- run --account 'east valley'

coast: held
  Since the night of 2026-03-04. The service refuses <b>the token</b>.

Resolved since the last alert:
  coast: <no walk>
  valley: late

The whole status: npm start -- status
`);
  expect(html).toContain('The service refuses &lt;b&gt;the token&lt;/b&gt;.');
  expect(html).toContain('npm start -- run --account &#39;east valley&#39;');
  expect(html).toContain('coast: &lt;no walk&gt;');
});

test('a single alert is no list, and nothing is said of what is over where nothing is', () => {
  const { subject, text, html } = composeAlert([held]);
  expect(subject).toBe('Callsheet needs you: coast: held');
  expect(text).toBe(`Something needs your attention.

coast: held
  Since the night of 2026-03-04. The service refuses <b>the token</b>.

The whole status: npm start -- status
`);
  expect(html).not.toContain('Resolved');
});

test('a long alert is cut in the subject alone', () => {
  const subjectOf = (length: number) => composeAlert([{ ...alert, title: 'x'.repeat(length) }]).subject;
  expect(subjectOf(120)).toBe(`Callsheet needs you: ${'x'.repeat(120)}`);
  expect(subjectOf(121)).toBe(`Callsheet needs you: ${'x'.repeat(119)}…`);
  const title = 'x'.repeat(200);
  expect(composeAlert([{ ...alert, title }]).text).toContain(`Something needs your attention.\n\n${title}\n`);
});
