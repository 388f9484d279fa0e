import { expect, test } from 'vitest';
import { mailText } from '../../src/digest/render/text.ts';
import { contentOf } from './figures.ts';
import { digests } from './mails.ts';

test.each([
  ['a day with every kind of news', 'en-GB'],
  ['a provisional day', 'es'],
  ['a morning after an outage', 'es'],
  ['a week', 'en-GB'],
  ['a month', 'es'],
])('the whole text of %s, in %s, is as somebody read it last', async (name, locale) => {
  const content = contentOf({ ...digests[name]!, locale });
  await expect(`${content.subject}\n\n${mailText(content)}`).toMatchFileSnapshot(
    `texts/${name.replaceAll(' ', '-')}.txt`,
  );
});
