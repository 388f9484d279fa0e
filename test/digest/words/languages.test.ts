import { describe, expect, test } from 'vitest';
import { composeDigest } from '../../../src/digest/compose.ts';
import { en } from '../../../src/digest/words/en.ts';
import { languageOf, languages } from '../../../src/digest/words/languages.ts';
import { daysOf, periodOf } from '../../../src/model/period.ts';
import { eventfulWeek } from '../busy-week.ts';
import { accountTotals, attached, figures, sender } from '../figures.ts';

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
const shared = new Set(['csv', 'no', 'a', 'de', 'total', '0']);
const wordsOf = (text: string) => text.toLowerCase().match(/\p{L}+|0/gu) ?? [];

describe.each(Object.keys(languages).filter((language) => language !== 'en'))(
  'the words of %s',
  (language) => {
    const texts = textsOf(languages[language]);

    test('are all there, and say all that they are given', () => {
      const english = textsOf(en);
      expect(texts.map(([path]) => path).sort()).toEqual(english.map(([path]) => path).sort());
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

test('a mail is wholly in the language of its locale, dates included', async () => {
  const week = eventfulWeek();
  const failed = accountTotals({ account: 'coast', label: 'C', state: 'failed', attempts: null });
  const incomplete = figures({ accounts: [accountTotals({ label: 'N' }), failed], before: [failed] });
  const named = { ...week, topCampaigns: week.topCampaigns.map((each) => ({ ...each, campaign: 'X' })) };
  const day = { ...named, movers: [], extremeRates: [] };
  const cut = { ...attached, isWhole: false };
  const periods = (['week', 'month'] as const).flatMap((every) => {
    const period = periodOf(every, '2026-11-19');
    const lackingDays = daysOf({ from: '2026-11-16', to: '2026-11-19' });
    const part = { ...accountTotals({ label: 'N', state: 'provisional' }), lackingDays };
    return [
      {
        ...day,
        period,
        earlier: [{ period: periodOf(every, '2026-10-15'), accounts: [part, failed], before: [failed] }],
      },
      { ...day, period, accounts: [part, failed] },
      { ...day, period, accounts: [failed] },
      { ...day, period, accounts: [accountTotals({ label: 'N', attempts: null, campaigns: 0 })] },
    ];
  });
  for (const given of [day, incomplete, ...periods]) {
    const spanish = { ...given, name: 'Resumen', locale: 'es', link: 'https://x.example' };
    const { subject, text, html } = await composeDigest(spanish, cut, sender);
    const phrases = textsOf(en).flatMap(([, phrase]) => phrase.split(/«\d»/));
    for (const phrase of phrases.map((each) => each.trim()).filter(({ length }) => length > 6))
      expect(`${subject}\n${text}`).not.toContain(phrase);
    expect(text).not.toMatch(/Thursday|\bThu\b|\bWed\b|October|November/);
    expect(html).toContain('<html lang="es"');
  }
});

test('a locale without words gets English, dates and numbers included', async () => {
  expect(languageOf('de-AT')).toEqual({ words: en, locale: 'en-GB' });
  expect(languageOf('es-MX')).toEqual({ words: languages.es, locale: 'es-MX' });
  const german = await composeDigest({ ...eventfulWeek(), locale: 'de' }, attached, sender);
  expect(german).toEqual(await composeDigest(eventfulWeek(), attached, sender));
});
