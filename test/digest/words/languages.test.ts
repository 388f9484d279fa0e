import { describe, expect, test } from 'vitest';
import { mailHtml } from '../../../src/digest/render/html.ts';
import { mailText } from '../../../src/digest/render/text.ts';
import { en } from '../../../src/digest/words/en.ts';
import { languageOf, languages } from '../../../src/digest/words/languages.ts';
import { eventfulWeek } from '../busy-week.ts';
import { contentOf } from '../figures.ts';
import { digests } from '../mails.ts';

/** Every text by its path; of a function, what it says of words that stand for what it is given. */
function textsOf(words: unknown, path = ''): [path: string, text: string][] {
  if (typeof words === 'string') return [[path, words]];
  if (typeof words === 'function') {
    const given = Array.from({ length: words.length }, (_, index) => `«${index}»`);
    return [[path, words(...given)]];
  }
  return Object.entries(words as object).flatMap(([name, each]) => textsOf(each, `${path}.${name}`));
}

/** Words that are the same in both languages. */
const shared = new Set(['csv', 'no', 'a', 'de', 'total', '0', 'error', 'provisional', 'normal']);
const wordsOf = (text: string) => text.toLowerCase().match(/\p{L}+|0/gu) ?? [];

describe.each(Object.keys(languages).filter((language) => language !== 'en'))(
  'the words of %s',
  (language) => {
    const texts = textsOf(languages[language]);

    test('say all that they are given', () => {
      const english = textsOf(en);
      const given = (text: string) => [...new Set(text.match(/«\d»/g))].sort();
      for (const [path, text] of texts) {
        expect(text.trim(), path).not.toBe('');
        expect(given(text), path).toEqual(given(english.find(([name]) => name === path)![1]));
      }
    });

    test('have nothing of English in them', () => {
      const english = new Set(textsOf(en).flatMap(([, text]) => wordsOf(text)));
      const mixed = texts.flatMap(([path, text]) =>
        wordsOf(text)
          .filter((word) => english.has(word) && !shared.has(word))
          .map((word) => `${path}: ${word}`),
      );
      expect(mixed).toEqual([]);
    });
  },
);

test.each(Object.keys(digests))(
  'the mail of %s is wholly in the language of its locale, dates included',
  (name) => {
    const phrases = textsOf(en)
      .flatMap(([, phrase]) => phrase.split(/«\d»/))
      .map((each) => each.trim())
      .filter((each) => each.length > 8 && !shared.has(each.toLowerCase()));
    const content = contentOf({ ...digests[name]!, name: 'Resumen', locale: 'es' });
    const text = `${content.subject}\n${mailText(content)}`;
    for (const phrase of phrases) expect(text.includes(phrase), phrase).toBe(false);
    expect(text).not.toMatch(/Thursday|\bThu\b|\bWed\b|October|November/);
    expect(mailHtml(content, '')).toContain('<html lang="es"');
  },
);

test('a locale without words gets English, dates and numbers included', () => {
  expect(languageOf('de-AT')).toEqual({ words: en, locale: 'en-GB' });
  expect(languageOf('es-MX')).toEqual({ words: languages.es, locale: 'es-MX' });
  expect(contentOf({ ...eventfulWeek(), locale: 'de' })).toEqual(contentOf(eventfulWeek()));
});
