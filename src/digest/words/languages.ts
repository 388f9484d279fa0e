import { en, type Words } from './en.ts';
import { es } from './es.ts';

/** The languages that a mail can be in, by their BCP 47 subtag: another is a file beside these. */
export const languages: { readonly [language: string]: Words } = { en, es };

/** A locale's language, and the locale for dates and numbers with it: English where there are no words for it. */
export function languageOf(locale: string): { readonly words: Words; readonly locale: string } {
  const words = languages[new Intl.Locale(locale).language];
  return words === undefined ? { words: en, locale: 'en-GB' } : { words, locale };
}
