import type { DigestFigures } from '../../model/digest.ts';
import type { Format } from '../format.ts';
import { changeText } from './content.ts';
import { periodWords } from './period-words.ts';
import { rateChanges } from './tiles.ts';
import { hasFigures, lackingAccounts, shortAccounts, sumUp } from './totals.ts';

/**
 * `Campaigns, Thu 19 Nov: 61.0% connected (+1.2 points vs Wed, −0.4 points vs a typical Thursday), 12,480 attempts`;
 * marked if the digest is corrected or incomplete, or its figures may be low.
 */
export function subject(figures: DigestFigures, format: Format): string {
  const { words } = format;
  const plain = `${figures.name}, ${periodWords(figures.period, format).short}: ${headline(figures, format)}`;
  const stated = marked(figures, plain, format);
  return figures.before === null ? stated : words.subject.corrected(stated);
}

function marked(figures: DigestFigures, plain: string, { words }: Format): string {
  if (lackingAccounts(figures).length > 0) return words.subject.incomplete(plain);
  return shortAccounts(figures).length > 0 ? words.subject.mayBeLow(plain) : plain;
}

function headline(figures: DigestFigures, format: Format): string {
  const { subject: words, counts, campaigns: noun } = format.words;
  const { attempts, campaigns, unreportedAttempts, rates } = sumUp(figures.accounts);
  if (!figures.accounts.some(hasFigures)) return words.nothingLoaded;
  if (attempts === null) return `${format.countOf(campaigns, noun)}, ${words.attemptsNotReported}`;
  if (attempts === 0n) return unreportedAttempts > 0 ? words.attemptsNotReported : words.noAttempts;
  const volume = `${format.count(attempts)} ${counts.attempts}`;
  if (rates.connects === null) return `${volume}, ${words.connectsNotReported}`;
  const changes = rateChanges(figures, format).map(changeText);
  const rate = words.connected(format.rate(rates.connects));
  return `${rate}${changes.length === 0 ? '' : ` (${changes.join(', ')})`}, ${volume}`;
}
