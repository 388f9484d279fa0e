import type { CsvAttachment, DigestFigures } from '../../model/digest.ts';
import { counted, formatter } from '../format.ts';
import { attentionItems } from './attention.ts';
import { closing } from './closing.ts';
import type { DigestContent } from './content.ts';
import { headline } from './headline.ts';
import { notes } from './notes.ts';
import { accountTable, campaignTable, lastDaysTable } from './tables.ts';
import { comparedNote, tiles } from './tiles.ts';

/** Puts the figures into words. */
export function buildContent(figures: DigestFigures, csv: CsvAttachment): DigestContent {
  const format = formatter(figures.locale, figures.timeZone);
  const attention = attentionItems(figures, format);
  return {
    name: figures.name,
    date: format.longDay(figures.day),
    headline: capitalized(headline(figures, format)),
    pointer:
      attention.length === 0
        ? null
        : `Needs attention: ${counted(attention.length, 'point', format)}, below.`,
    notes: notes(figures, format),
    tiles: tiles(figures, format),
    compared: comparedNote(figures),
    lastDays: lastDaysTable(figures, format),
    campaigns: campaignTable(figures, format),
    accounts: accountTable(figures, format),
    attention,
    closing: closing(figures, csv, format),
  };
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
