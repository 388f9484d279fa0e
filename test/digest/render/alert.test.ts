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

test('an alert mail has cause, manual step and command of each alert, in text and HTML', () => {
  const { subject, text, html } = composeAlert([
    alert,
    { ...alert, title: 'coast: held', since: '2026-03-04' },
  ]);
  expect(subject).toBe('Callsheet needs you: valley: token refused and 1 more');
  for (const part of [
    '2 things need your attention.',
    'coast: held',
    'Since the night of 2026-03-04. ',
    'Write the new token to SIDTOKEN.',
  ]) {
    expect(text).toContain(part);
    expect(html).toContain(part);
  }
  expect(text).toContain(
    [
      'valley: token refused',
      '  The service refuses <b>the token</b>.',
      '  To do:  Write the new token to SIDTOKEN.',
      "  Then:  npm start -- run --account 'east valley'",
    ].join('\n'),
  );
  expect(html).toContain('The service refuses &lt;b&gt;the token&lt;/b&gt;.');
  expect(html).toContain('npm start -- run --account &#39;east valley&#39;');
});

test('it names what is over since the last one, and nothing of the kind where nothing is', () => {
  const { text, html } = composeAlert([alert], ['coast: <held>']);
  expect(text).toContain('Resolved since the last alert:\n  coast: <held>\n');
  expect(html).toContain('coast: &lt;held&gt;');
  expect(composeAlert([alert]).text).not.toContain('Resolved');
});

test('a long alert is cut in the subject alone', () => {
  const title = 'x'.repeat(200);
  const { subject, text } = composeAlert([{ ...alert, title }]);
  expect(subject).toBe(`Callsheet needs you: ${'x'.repeat(119)}…`);
  expect(text).toContain(`Something needs your attention.\n\n${title}\n`);
});
