import type { AccountTotals, CsvAttachment, DigestFigures } from '../../model/digest.ts';
import { periodOf } from '../../model/period.ts';
import { type CountName, countNames } from '../../model/records.ts';
import { formatList } from '../../support/english.ts';
import { countWords, displayName, type Format } from '../format.ts';
import type { Note } from './content.ts';
import { periodWords } from './period-words.ts';
import { exactSums, hasFigures, lackingAccounts, sumUp } from './totals.ts';

/** What a reader must know before the figures: that they are corrected, incomplete or none, and of which days. */
export function notes(figures: DigestFigures, format: Format): Note[] {
  return [
    corrected(figures, format),
    incomplete(figures, format),
    nothing(figures, format),
    unreported(figures, format),
    earlier(figures, format),
  ].filter((note) => note !== null);
}

function corrected({ accounts, before }: DigestFigures, format: Format): Note | null {
  if (before === null) return null;
  const lines = accounts.flatMap((account) => {
    const listed = before.find((one) => one.account === account.account);
    const change = correction(listed, account, format);
    return change === null ? [] : [`${nameOf(account)}: ${change}`];
  });
  return {
    kind: 'change',
    title: 'Corrected: this replaces the digest that was sent of that day.',
    lines: lines.length > 0 ? lines : ['The sums are the same; campaigns among them changed.'],
  };
}

function correction(listed: AccountTotals | undefined, now: AccountTotals, format: Format): string | null {
  if (listed === undefined || !hasFigures(listed)) {
    if (!hasFigures(now)) return null;
    return `not loaded → ${countsOf(now, format)}`;
  }
  return format.countChanges(exactSums(listed), exactSums(now)) || null;
}

const nameOf = ({ label, account }: AccountTotals) => displayName(label, account);

function countsOf(account: AccountTotals, { count }: Format): string {
  const { attempts, connects, liveAnswers, busies } = exactSums(account);
  return `${count(attempts)} attempts, ${count(connects)} connects, ${count(liveAnswers)} live answers, ${count(busies)} busies`;
}

function incomplete(figures: DigestFigures, format: Format): Note | null {
  const lacking = lackingAccounts(figures);
  if (lacking.length === 0) return null;
  const { noun } = periodWords(figures.period, format);
  const lines = lacking.map((account) => `${nameOf(account)}: ${lackOf(account, figures, format)}`);
  return {
    kind: 'warning',
    title: `Incomplete: a part of the ${noun} is missing.`,
    lines: [...lines, ...follows(figures)],
  };
}

function lackOf({ state, lackingDays }: AccountTotals, { period }: DigestFigures, format: Format): string {
  if (!hasFigures({ state })) return 'not loaded';
  if (period.every === 'day') return 'the day was not over';
  const days =
    lackingDays.length > 3 ? [format.countOf(lackingDays.length, 'day')] : lackingDays.map(format.day);
  return `${formatList(days)} not loaded, or not over`;
}

/** At most one corrected digest is sent of a day, and none of a week or month. */
function follows({ before, period }: DigestFigures): string[] {
  if (period.every !== 'day') return ['What is loaded later is named in the next digest.'];
  return before === null ? ['A corrected digest follows once it is there.'] : [];
}

function nothing(figures: DigestFigures, format: Format): Note | null {
  const { campaigns, attempts, unreported } = sumUp(figures.accounts);
  if (lackingAccounts(figures).length > 0 || attempts !== 0n || unreported.attempts > 0) return null;
  const why = campaigns === 0 ? 'the service lists no campaign' : 'no campaign made an attempt';
  const title = `Nothing that ${periodWords(figures.period, format).noun}: ${why}.`;
  return { kind: 'plain', title, lines: [] };
}

/** How many campaigns didn't report which counts: the sums are without them. */
function unreported({ accounts }: DigestFigures, format: Format): Note | null {
  const lines = accounts.filter(hasFigures).flatMap((account) => {
    const parts = countNames.flatMap((name) => unreportedPart(name, account, format));
    return parts.length === 0 ? [] : [`${nameOf(account)}: ${formatList(parts)}`];
  });
  if (lines.length === 0) return null;
  const attempts = accounts.some((account) => account.unreported.attempts > 0);
  return {
    kind: attempts ? 'warning' : 'plain',
    title: 'Not reported by the service, and in no sum or rate:',
    lines,
  };
}

function unreportedPart(name: CountName, { unreported, campaigns }: AccountTotals, format: Format): string[] {
  if (unreported[name] === 0) return [];
  return [
    `${countWords[name]} of ${format.count(unreported[name])} of ${format.countOf(campaigns, 'campaign')}`,
  ];
}

function earlier({ earlierDays, period: { every } }: DigestFigures, format: Format): Note | null {
  if (earlierDays.length === 0) return null;
  const days = formatList(earlierDays.map((day) => periodWords(periodOf(every, day), format).short));
  return { kind: 'plain', title: `Also loaded, without a digest of their own: ${days}.`, lines: [] };
}

/** The lines under the figures: how complete they are, where the rest is, and what the words mean. */
export function closingLines(figures: DigestFigures, csv: CsvAttachment, format: Format): string[] {
  const of = figures.period.every === 'day' ? `${glossary} ${usual}` : glossary;
  return [coverageLine(figures, format), csvLine(figures, csv, format), of];
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

function csvLine({ period }: DigestFigures, csv: CsvAttachment, format: Format): string {
  const { noun } = periodWords(period, format);
  const of = noun === 'day' ? 'the day' : `each day of the ${noun}`;
  if (csv.kind !== 'too large') {
    const packed = csv.kind === 'zip' ? ', packed as a ZIP file' : '';
    return `Every campaign of ${of} is in the attached CSV${packed}.`;
  }
  return (
    `The CSV with every campaign of ${of} is larger than ${format.count(csv.maxBytes / 1_000_000)} MB, ` +
    'even compressed, and not attached. Ask whoever runs Callsheet for it.'
  );
}

const glossary =
  'Attempts, connects, live answers and busies are as the service counts them. Connected, live and busy are ' +
  'connects, live answers and busies per attempt. A dash is a count that the service did not report, or nothing to divide by.';

const usual = 'Usual is the mean of that weekday in the four weeks before.';
