import type { CsvAttachment, DigestFigures } from '../../model/digest.ts';
import type { Format } from '../format.ts';

/** The lines under the figures: how complete they are, where the rest is, and what the words mean. */
export function closing(figures: DigestFigures, csv: CsvAttachment, format: Format): string[] {
  return [coverageLine(figures, format), csvLine(csv, format), ...glossary];
}

function coverageLine({ coverage, accounts, asOf }: DigestFigures, format: Format): string {
  const through = coverage.map(({ completeThrough }) => completeThrough);
  const known = through.filter((day) => day !== null);
  const earliest = known.toSorted()[0];
  const complete =
    earliest !== undefined && known.length === accounts.length
      ? `Complete through ${format.longDay(earliest)}.`
      : 'Complete through no day yet.';
  return asOf === null ? complete : `${complete} Updated ${format.time(asOf)}.`;
}

function csvLine(csv: CsvAttachment, format: Format): string {
  if (csv.kind !== 'too large') {
    const packed = csv.kind === 'gzip' ? ', compressed with gzip' : '';
    return `Every campaign of the day is in the attached CSV${packed}.`;
  }
  return (
    `The CSV with every campaign of the day is larger than ${format.count(csv.maxBytes / 1_000_000)} MB, ` +
    'even compressed, and not attached. ' +
    'Ask whoever runs Callsheet for it.'
  );
}

const glossary = [
  'Attempts, connects, live answers and busies are as the service counts them. Connected, live and busy are ' +
    'connects, live answers and busies per attempt. A dash is a count that the service did not report, or nothing to divide by. ' +
    'Usual is the mean of that weekday in the four weeks before.',
];
