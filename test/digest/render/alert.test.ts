import { expect, test } from 'vitest';
import { composeAlert } from '../../../src/digest/compose-alert.ts';
import type { ActiveAlert } from '../../../src/model/alert.ts';

const place = { installation: 'north', pageUrl: null };
const offices = Array.from({ length: 40 }, (_, index) => `Office ${index + 1}`);
const alert: ActiveAlert = {
  code: 'TOKEN_REFUSED',
  key: 'TOKEN_REFUSED',
  severity: 'error',
  subject: 'token refused (Valley)',
  title: 'Token refused: Valley, client list',
  explanation: 'The service refuses <b>the token</b>.',
  since: null,
  accounts: ['valley'],
  named: [{ noun: 'account', names: ['Valley'] }],
  items: ['valley clients'],
  retried: false,
  steps: [
    { text: 'Write the new token to SIDTOKEN', command: null },
    { text: 'Then', command: ['run', '--account', 'east valley'] },
  ],
  dismissed: false,
};
const outage = {
  ...alert,
  subject: 'service unavailable (40 accounts)',
  title: 'Service unavailable: 40 accounts',
  explanation: 'Since 4 Mar. The service refuses <b>the token</b>.',
  named: [{ noun: 'account', names: offices }],
  steps: [],
};

test('an alert mail counts what is to do in its subject, and has explanation, names and steps of each alert', () => {
  const { subject, text, html } = composeAlert(
    { begun: [alert, outage], earlier: [], resolved: ['Coast: <no walk>'] },
    place,
  );
  expect(subject).toBe(
    '[callsheet north] 2 to do: token refused (Valley); service unavailable (40 accounts)',
  );
  expect(text).toBe(`Token refused: Valley, client list
  The service refuses <b>the token</b>.
  To do:  Write the new token to SIDTOKEN.
  Then:  npm start -- run --account 'east valley'

Service unavailable: 40 accounts
  Since 4 Mar. The service refuses <b>the token</b>.
  40 accounts: Office 1, Office 2, Office 3, Office 4, Office 5 and 35 more (status --json has all)

Resolved
- Coast: <no walk>

Everything else: npm start -- status
`);
  expect(html).toContain('The service refuses &lt;b&gt;the token&lt;/b&gt;.');
  expect(html).toContain('npm start -- run --account &#39;east valley&#39;');
  expect(html).toContain('Coast: &lt;no walk&gt;');
});

test('once nothing is active any more, the mail says so, and links to the page where its address is known', () => {
  const pageUrl = 'https://callsheet.example.com/';
  const { subject, text, html } = composeAlert(
    { begun: [], earlier: [], resolved: ['Token refused: Valley'] },
    { ...place, pageUrl },
  );
  expect(subject).toBe('[callsheet north] all clear');
  expect(text).toBe(`Nothing to do.

Resolved
- Token refused: Valley

Everything else: https://callsheet.example.com/
`);
  expect(html).toContain(`href="${pageUrl}"`);
});

test('whatever an alert hit and however much is resolved, a mail stays one screen', () => {
  const named = [{ noun: 'account', names: Array.from({ length: 2_000 }, (_, index) => `Office ${index}`) }];
  const resolved = Array.from({ length: 90 }, (_, index) => `Token refused: Office ${index}`);
  const { subject, text, html } = composeAlert(
    { begun: [{ ...outage, subject: 'x'.repeat(300), named }], earlier: [], resolved },
    place,
  );
  expect(subject).toHaveLength(150);
  expect(text).toContain('Office 4 and 1,995 more');
  expect(text).toContain('Office 19\n- and 70 more\n');
  expect(html.length).toBeLessThan(40_000);
});

test('an alert that was reported before is counted behind the new ones, and named', () => {
  const { subject, text } = composeAlert({ begun: [outage], earlier: [alert], resolved: [] }, place);
  expect(subject).toContain(`2 to do: ${outage.subject}; ${alert.subject}`);
  expect(text).toContain(`Still to do\n- ${alert.title}\n`);
});
