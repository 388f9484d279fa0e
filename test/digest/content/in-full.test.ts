import { expect, it } from 'vitest';
import { buildContent } from '../../../src/digest/compose.ts';
import { subject } from '../../../src/digest/content/subject.ts';
import { createFormat } from '../../../src/digest/format.ts';
import { digestText } from '../../../src/digest/render/text.ts';
import { attached } from '../figures.ts';
import { variants } from '../variants.ts';

// Each sentence of a digest is read by somebody, and each is there once. After a change of words: `--update`, and read.
it.each([
  'a day with every kind of news',
  'an incomplete day',
  'a corrected day',
  'a week',
  'a single account',
  'an incomplete week',
  'a first week',
  'an incomplete month',
  'counts not reported',
  'attempts not reported',
  'nothing reported',
  'nothing loaded',
  'no campaigns',
  'no attempts',
])('%s says all of this, and nothing else', async (name) => {
  const figures = variants[name]!;
  const format = createFormat(figures.locale, figures.timeZone, figures.day);
  const text = digestText(buildContent(figures, attached));
  await expect(`${subject(figures, format)}\n\n${text}`).toMatchFileSnapshot(
    `in-full/${name.replaceAll(' ', '-')}.txt`,
  );
});
