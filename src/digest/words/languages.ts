import { en, type Words } from './en.ts';
import { es } from './es.ts';

/** The languages of mails, by BCP 47 subtag. A new language is a new file in this folder. */
export const languages: { readonly [language: string]: Words } = { en, es };

/** The words for a locale, and the locale for dates and numbers; British English if there are no words for it. */
export function languageOf(locale: string): { readonly words: Words; readonly locale: string } {
  const words = languages[new Intl.Locale(locale).language];
  return words === undefined ? { words: en, locale: 'en-GB' } : { words, locale };
}
