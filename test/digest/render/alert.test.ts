import { expect, test } from 'vitest';
import { composeAlert } from '../../../src/digest/compose-alert.ts';
import { alert, outage } from '../mails.ts';

const place = { installation: 'north', pageUrl: null };
const explanation = 'The service refuses <b>the token</b>.';

test('an alert mail counts what is to do in its subject, and has explanation, names and steps of each alert', () => {
  const { subject, text, html } = composeAlert(
    { begun: [{ ...alert, explanation }, outage], earlier: [], resolved: ['Coast: <no walk>'] },
    place,
  );
  expect(subject).toBe(
    '[callsheet north] 2 to do: token refused (Valley); service unavailable (80 accounts)',
  );
  expect(text).toBe(`Token refused: Valley, 2 Mar
  ${explanation}
  1. Write the new token to /run/secrets/sidtoken.
  2. Then:  npm start -- run --from 2026-03-02 --account 'east valley'

Service unavailable (status 503): 80 accounts, 2 Mar, client lists
  ${outage.explanation}
  80 accounts: Office 1, Office 2, Office 3, Office 4, Office 5 and 75 more (status --json has all)
  To do it now:  npm start -- run

Resolved
- Coast: <no walk>

Everything else: npm start -- status

In the runbook, docs/operations.md: TOKEN_REFUSED
`);
  expect(html).toContain('The service refuses &lt;b&gt;the token&lt;/b&gt;.');
  expect(html).toContain('--account &#39;east valley&#39;');
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
