import type { AccountTotals, CsvAttachment, DigestFigures } from '../../model/digest.ts';
import { periodOf } from '../../model/period.ts';
import { type CountName, countNames } from '../../model/records.ts';
import { displayName, type Format } from '../format.ts';
import type { Note } from './content.ts';
import { periodWords } from './period-words.ts';
import { exactSums, hasFigures, lackingAccounts, shortAccounts, sumUp } from './totals.ts';

/** The notes before the figures: which are corrected, incomplete or not reported. */
export function notes(figures: DigestFigures, format: Format): Note[] {
  return [
    corrected(figures, format),
    incomplete(figures, format),
    mayBeLow(figures, format),
    unreported(figures, format),
    earlier(figures, format),
  ].filter((note) => note !== null);
}

function corrected({ accounts, before, period }: DigestFigures, format: Format): Note | null {
  if (before === null) return null;
  const { words } = format;
  const lines = accounts.flatMap((account) => {
    const listed = before.find((one) => one.account === account.account);
    const change = correction(listed, account, format);
    return change === null ? [] : [`${nameOf(account)}: ${change}`];
  });
  return {
    kind: 'change',
    title: words.notes.corrected(words.period.that[period.every]),
    lines: lines.length > 0 ? lines : [words.notes.sameSums],
  };
}

function correction(listed: AccountTotals | undefined, now: AccountTotals, format: Format): string | null {
  if (listed === undefined || !hasFigures(listed)) {
    if (!hasFigures(now)) return null;
    return `${format.words.notLoaded} → ${format.sums(exactSums(now))}`;
  }
  return format.countChanges(exactSums(listed), exactSums(now)) || null;
}

const nameOf = ({ label, account }: AccountTotals) => displayName(label, account);

function incomplete(figures: DigestFigures, format: Format): Note | null {
  const lacking = lackingAccounts(figures);
  if (lacking.length === 0) return null;
  const { words } = format;
  const lines = lacking.map((account) => `${nameOf(account)}: ${lackOf(account, figures, format)}`);
  const isPart = figures.accounts.some(hasFigures);
  const title = isPart ? words.notes.incomplete : words.notes.allMissing;
  return {
    kind: 'warning',
    title: title(words.period.the[figures.period.every]),
    lines: [...lines, ...follows(figures, format)],
  };
}

function mayBeLow(figures: DigestFigures, format: Format): Note | null {
  const short = shortAccounts(figures);
  if (short.length === 0) return null;
  const { words } = format;
  const days = (account: AccountTotals) => format.list(account.shortDays.map((day) => format.day(day)));
  return {
    kind: 'warning',
    title: words.notes.mayBeLow,
    lines: [
      ...short.map((account) => `${nameOf(account)}: ${days(account)}`),
      words.notes.whyLow,
      ...follows(figures, format),
    ],
  };
}

function lackOf(account: AccountTotals, { period }: DigestFigures, format: Format): string {
  const { words } = format;
  const { lackingDays } = account;
  if (!hasFigures(account)) return words.notLoaded;
  if (period.every === 'day') return words.notes.notOver;
  const days =
    lackingDays.length > 3
      ? format.countOf(lackingDays.length, words.days)
      : format.list(lackingDays.map(format.day));
  return words.notes.daysLacking(days);
}

/** A period gets at most one corrected digest. */
function follows({ before }: DigestFigures, { words }: Format): string[] {
  return before === null ? [words.notes.correctedFollows] : [];
}

/** The reason why the period has no figures; null if it has some. */
export function emptyLine(figures: DigestFigures, { words }: Format): string | null {
  const that = words.period.that[figures.period.every];
  if (!figures.accounts.some(hasFigures)) return words.empty.nothingLoaded(that);
  const { campaigns, attempts, unreportedAttempts } = sumUp(figures.accounts);
  if (lackingAccounts(figures).length > 0 || attempts !== 0n || unreportedAttempts > 0) return null;
  return campaigns === 0 ? words.empty.noCampaigns(that) : words.empty.noAttempts;
}

/** Counts the campaigns that didn't report a count: the sums lack them. */
function unreported({ accounts }: DigestFigures, format: Format): Note | null {
  const known = accounts.filter(hasFigures);
  const lines = known.flatMap((account) => {
    const parts = countNames.flatMap((name) => unreportedPart(name, account, format));
    return parts.length === 0 ? [] : [`${nameOf(account)}: ${format.list(parts)}`];
  });
  if (lines.length === 0) return null;
  const attempts = known.some((account) => account.unreported.attempts > 0);
  return {
    kind: attempts ? 'warning' : 'plain',
    title: format.words.notes.unreported,
    lines,
  };
}

function unreportedPart(name: CountName, { unreported, campaigns }: AccountTotals, format: Format): string[] {
  if (unreported[name] === 0) return [];
  const { words } = format;
  return [
    words.notes.unreportedOf(
      words.counts[name],
      format.count(unreported[name]),
      format.countOf(campaigns, words.campaigns),
    ),
  ];
}

function earlier({ earlierDays, period: { every } }: DigestFigures, format: Format): Note | null {
  if (earlierDays.length === 0) return null;
  const days = format.list(earlierDays.map((day) => periodWords(periodOf(every, day), format).short));
  return { kind: 'plain', title: format.words.notes.earlierDays(days), lines: [] };
}

export function closingLines(figures: DigestFigures, csv: CsvAttachment, format: Format): string[] {
  const complete = completeLine(figures, format);
  if (emptyLine(figures, format) !== null) return [complete];
  const { glossary, typical } = format.words.closing;
  const meanings = figures.period.every === 'day' ? `${glossary} ${typical}` : glossary;
  return [complete, csvLine(figures, csv, format), meanings];
}

/** Speaks of this digest's accounts only: the rest concerns the operator. */
function completeLine(figures: DigestFigures, format: Format): string {
  const { closing } = format.words;
  const { completeThrough } = figures;
  const complete =
    completeThrough === null || shortAccounts(figures).length > 0
      ? closing.incomplete
      : closing.completeThrough(format.longDay(completeThrough));
  return figures.asOf === null ? complete : `${complete} ${closing.updated(format.time(figures.asOf))}`;
}

function csvLine({ period: { every } }: DigestFigures, csv: CsvAttachment, format: Format): string {
  const { closing, period } = format.words;
  const campaignsOf = period.campaignsOf[every];
  if (csv.kind === 'too large') return closing.tooLarge(campaignsOf, format.count(csv.maxBytes / 1_000_000));
  return csv.kind === 'zip' ? closing.packedCsv(campaignsOf) : closing.csv(campaignsOf);
}
