import { type Anomaly, openAnomalies } from '../../model/anomaly.ts';
import type { Day } from '../../model/day.ts';
import type { AccountTotals, CsvAttachment, PeriodFigures } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import type { Note } from '../blocks.ts';
import { accountName, displayName, type Format } from '../format.ts';
import { isUnconfirmed } from './comparison.ts';
import type { Facts } from './facts.ts';
import { periodWords } from './period-words.ts';
import { hasFigures, sumOfPeriod } from './totals.ts';

/** Accounts that a note names; further ones are counted. */
export const maxNames = 5;

/** The notes before the figures: which are corrected, incomplete or provisional, and which earlier ones moved. */
export function notes(facts: Facts, format: Format): Note[] {
  return [
    corrected(facts, format),
    incomplete(facts, format),
    provisional(facts, format),
    ...movedEarlier(facts, format),
  ].filter((note) => note !== null);
}

function corrected({ accounts, before, period }: Facts, format: Format): Note | null {
  if (before === null) return null;
  const { words } = format;
  const listed = new Map(before.map((account) => [account.account, account]));
  const lines = accounts.flatMap((account) => {
    const mailed = listed.get(account.account);
    const change = mailed === undefined ? null : correction(mailed, account, format);
    return change === null ? [] : [`${accountName(account)}: ${change}`];
  });
  return {
    kind: 'note',
    tone: 'change',
    title: words.notes.corrected(words.period.that[period.every]),
    lines: lines.length > 0 ? format.shortened(lines, maxNames) : [words.notes.sameSums],
  };
}

function correction(listed: PeriodFigures, now: AccountTotals, format: Format): string | null {
  if (listed.state === 'absent') {
    if (!hasFigures(now)) return null;
    return `${format.words.notLoaded} → ${format.sums(now)}`;
  }
  return format.countChanges(listed, now) || null;
}

/** A smaller change of a sum stands in the table alone. */
const minNamedShare = 0.01;

/** `Corrected: Wed 7 Oct had 18,265 attempts, not 13,182.` */
function movedEarlier({ earlier }: Facts, format: Format): Note[] {
  const { words } = format;
  const titles = earlier.flatMap(({ period, accounts, before }) => {
    if (before === null || accounts.some(({ state }) => state !== 'whole')) return [];
    const name = periodWords(period, format).short;
    const isUnloaded = before.every(({ state }) => state === 'absent');
    const moved = (['attempts', 'connects'] as const)
      .map((count) => ({
        count,
        now: sumOfPeriod(accounts)[count],
        mailed: sumOfPeriod(before)[count],
      }))
      .find(({ now, mailed }) => now !== null && (isUnloaded || (mailed !== null && isMoved(now, mailed))));
    if (moved === undefined) return [];
    const figure = `${format.count(moved.now)} ${words.counts[moved.count]}`;
    return isUnloaded
      ? words.notes.loadedSince(name, figure)
      : words.notes.moved(name, figure, format.count(moved.mailed));
  });
  const newest = titles.slice(-maxNamedCorrections).reverse();
  const others = titles.length - newest.length;
  const all = others === 0 ? newest : [...newest, words.notes.moreMoved(format.count(others))];
  return all.map((title) => ({ kind: 'note', tone: 'change', title, lines: [] }));
}

/** The newest ones; the table has the others. */
const maxNamedCorrections = 3;

const isMoved = (now: bigint, mailed: bigint) =>
  Math.abs(Number(now - mailed)) >= Math.max(1, minNamedShare * Number(mailed));

function incomplete({ accounts, lacking, period }: Facts, format: Format): Note | null {
  if (lacking.length === 0) return null;
  const { words } = format;
  const { notes } = words;
  const groups = [...Map.groupBy(lacking, (account) => lackOf(account, period, format))];
  const lines = groups.map(([lack, some]) => ({ names: namesOf(some, format), lack }));
  const isNone = !accounts.some(hasFigures);
  const [only] = lines.length === 1 ? lines : [];
  const all = format.countOf(lacking.length, words.accounts);
  const title = isNone
    ? notes.allMissing(words.period.the[period.every])
    : notes.incomplete(only?.names ?? all, only?.lack ?? words.incompleteDay);
  return {
    kind: 'note',
    tone: 'warning',
    title,
    lines: [
      ...(only !== undefined && !isNone ? [] : lines.map(({ names, lack }) => `${names}: ${lack}`)),
      notes.correctedFollows,
    ],
  };
}

function provisional({ provisional: accounts, lacking, period }: Facts, format: Format): Note | null {
  if (accounts.length === 0) return null;
  const { notes, accounts: noun } = format.words;
  const lines = provisionalLines(accounts, period, format);
  const anomalies = accounts.flatMap(({ provisionalDays }) =>
    provisionalDays.flatMap((each) => openAnomalies(each.anomalies)),
  );
  const isTooLow = anomalies.length > 0 && anomalies.every(isTooLowBy);
  const title = isTooLow ? notes.tooLow : notes.perhapsWrong;
  const [only] = lines.length === 1 ? lines : [];
  return {
    kind: 'note',
    tone: 'warning',
    title: title(only ?? notes.accountsProvisional(format.countOf(accounts.length, noun))),
    lines: [
      ...(only === undefined ? format.shortened(lines, maxNames) : []),
      ...(lacking.length > 0 ? [] : [isTooLow ? notes.provisionalFollows : notes.changesFollow]),
    ],
  };
}

/** Returns whether an anomaly says that something is missing. */
const isTooLowBy = (anomaly: Anomaly): boolean =>
  anomaly.code === 'announced'
    ? anomaly.announced > anomaly.listed
    : ['unreadable', 'unreadable_counts', 'missing_counts'].includes(anomaly.code);

/** Accounts whose days are provisional for the same reasons share a line. */
function provisionalLines(accounts: readonly AccountTotals[], { every }: Period, format: Format): string[] {
  const groups = Map.groupBy(accounts, ({ provisionalDays }) => {
    const reasons = new Set(provisionalDays.flatMap(({ anomalies }) => reasonsOf(anomalies, format)));
    const days = daysOf(
      provisionalDays.map(({ day }) => day),
      format,
    );
    const why = [...reasons].join('; ');
    return every === 'day' ? why : `${days}: ${why}`;
  });
  return [...groups].map(([why, some]) => `${namesOf(some, format)}${every === 'day' ? ': ' : ', '}${why}`);
}

const reasonsOf = (anomalies: readonly Anomaly[], format: Format) =>
  openAnomalies(anomalies).map((anomaly) => reasonOf(anomaly, format));

/** An anomaly of a response as a phrase. */
export function reasonOf(anomaly: Anomaly, format: Format): string {
  const { provisional: words, campaigns, counts } = format.words;
  switch (anomaly.code) {
    case 'announced':
      return words.announced(format.countOf(anomaly.announced, campaigns), format.count(anomaly.listed));
    case 'unreadable':
      return words.unreadable;
    case 'unreadable_counts':
      return words.unreadableCounts(format.countOf(anomaly.campaigns, campaigns));
    case 'remark':
      return words.remark(displayName(anomaly.sign));
    case 'missing_counts':
      return words.unreported(counts[anomaly.count]);
    case 'empty':
      return words.noList;
    case 'no_calls':
      return words.noCalls;
    case 'same_figures':
      return words.sameFigures;
  }
}

const namesOf = (accounts: readonly AccountTotals[], format: Format) =>
  format.list(format.shortened(accounts.map(accountName), maxNames));

function lackOf(account: AccountTotals, { every }: Period, format: Format): string {
  const { words } = format;
  if (!hasFigures(account)) return words.notLoaded;
  if (every === 'day') return words.notes.notOver;
  return words.notes.daysLacking(daysOf(account.lackingDays, format));
}

/** Many days are only counted. */
function daysOf(days: readonly Day[], format: Format): string {
  return days.length > 3 ? format.countOf(days.length, format.words.days) : format.list(days.map(format.day));
}

/** The reason why the period has no figures to show; null if it has some. */
export function emptyLine({ accounts, totals, period }: Facts, { words }: Format): string | null {
  const that = words.period.that[period.every];
  if (!accounts.some(hasFigures)) return words.empty.nothingLoaded(that);
  if (totals.attempts !== 0n || totals.unreportedAttempts > 0) return null;
  // Days that aren't loaded may have calls.
  if (accounts.some(({ state }) => state !== 'loaded')) return words.empty.noneSoFar;
  return totals.campaigns === 0 ? words.empty.noCampaigns(that) : words.empty.noAttempts;
}

/** The lines at the end: the purpose of the digest, the reach of its figures, the meaning of its words. */
export function closingLines(facts: Facts, csv: CsvAttachment, format: Format): string[] {
  const { closing } = format.words;
  const why = closing.why(displayName(facts.name));
  const { every } = facts.period;
  if (emptyLine(facts, format) !== null) return [completeLine(facts, format), why];
  const meanings = every === 'day' ? `${closing.glossary} ${closing.typical}` : closing.glossary;
  return [completeLine(facts, format), csvLine(facts, csv, format), meanings, why];
}

/** Speaks of this digest's accounts and period only: the rest concerns the operator. */
function completeLine({ completeThrough, asOf }: Facts, format: Format): string {
  const { closing } = format.words;
  const complete =
    completeThrough === null ? closing.incomplete : closing.completeThrough(format.longDay(completeThrough));
  return asOf === null ? complete : `${complete} ${closing.updated(format.time(asOf))}`;
}

function csvLine({ accounts, period }: Facts, csv: CsvAttachment, { words }: Format): string {
  const campaignsOf = words.period.campaignsOf[period.every];
  if (csv.isWhole && accounts.some(isUnconfirmed)) return words.closing.partialCsv;
  return csv.isWhole ? words.closing.csv(campaignsOf) : words.closing.cutCsv(campaignsOf);
}
