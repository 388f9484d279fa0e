import { expect, it } from 'vitest';
import { buildContent } from '../../../src/digest/compose.ts';
import { subject } from '../../../src/digest/content/subject.ts';
import { createFormat } from '../../../src/digest/format.ts';
import { digestText } from '../../../src/digest/render/text.ts';
import { attached } from '../figures.ts';
import { digests } from '../mails.ts';

// Each sentence of a digest is read by somebody, and each is there once. After a change of words: `--update`, and read.
it.each([
  'a day with every kind of news',
  'an incomplete day',
  'a corrected day',
  'a week',
  'nothing that day',
])('%s says all of this, and nothing else', async (name) => {
  const figures = digests[name]!;
  const format = createFormat(figures.locale, figures.timeZone, figures.day);
  const text = digestText(buildContent(figures, attached));
  await expect(`${subject(figures, format)}\n\n${text}`).toMatchFileSnapshot(
    `in-full/${name.replaceAll(' ', '-')}.txt`,
  );
});
