import { expect, test } from 'vitest';
import { buildContent } from '../../../src/digest/compose.ts';
import { digestHtml } from '../../../src/digest/render/html.ts';
import { accountTotals, attached, figures } from '../figures.ts';
import { alerts, digests } from '../mails.ts';

const link = 'https://bi.example.com/campaigns?day={day}';
const htmlOf = (name: string) =>
  digestHtml(buildContent({ ...digests[name]!, link }, attached), 'cid:chart@callsheet');

const noAttempts = figures({ accounts: [accountTotals({ attempts: null })] });

// What mail programs get, to the letter. After a change of the look: `--update`, and see it (docs/digest.md says how).
test.each([
  ['a day with every kind of news', htmlOf],
  ['an incomplete day', htmlOf],
  ['nothing that day', htmlOf],
  ['a day without attempts', () => digestHtml(buildContent(noAttempts, attached), 'cid:chart@callsheet')],
  ['an alert mail', (name: string) => alerts[name]!.html],
])('the HTML of %s is this', async (name, html) => {
  await expect(html(name)).toMatchFileSnapshot(`in-full/${name.replaceAll(' ', '-')}.html`);
});
