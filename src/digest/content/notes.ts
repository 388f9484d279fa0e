import { type Anomaly, openAnomalies } from '../../model/anomaly.ts';
import type { Day } from '../../model/day.ts';
import type { AccountTotals, CsvAttachment, PeriodFigures } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import { capitalize } from '../../support/english.ts';
import type { Note } from '../blocks.ts';
import { accountName, displayName, type Format, maxNames } from '../format.ts';
import type { Facts, PeriodFacts } from './facts.ts';
import { insightLine } from './insight.ts';
import { periodWords } from './period-words.ts';
import { headline } from './subject.ts';
import { hasFigures, sumOfPeriod } from './totals.ts';

/** The notes before the figures: what is corrected, incomplete or provisional; periods that come late, and earlier ones that moved. */
export function notes(facts: Facts, format: Format): Note[] {
  return [
    corrected(facts, format),
    incomplete(facts, format),
    provisional(facts, format),
    ...facts.late.map((each) => lateNote(each, format)),
    ...movedEarlier(facts, format),
  ].filter((note) => note !== null);
}

/** `Fri 13 Nov: 54.9% connected, 8,420 attempts (−12%)`, what it lacks, and its sentence. */
function lateNote(facts: PeriodFacts, format: Format): Note {
  const { lacking, provisional, period } = facts;
  const sentence = insightLine(facts, format, false);
  const mark = markOf(facts, format);
  const name = capitalize(periodWords(period, format).short);
  return {
    kind: 'note',
    tone: 'change',
    title: `${name}${mark === null ? '' : ` (${mark})`}: ${headline(facts, format)}`,
    lines: [
      ...lackLines(lacking, period, format),
      ...provisionalLines(provisional, period, format),
      ...(sentence === null ? [] : [sentence]),
    ],
  };
}

/** The words for what figures lack, in place of their change. */
export const markOf = ({ lacking, provisional }: PeriodFacts, { words }: Format) =>
  lacking.length > 0 ? words.incompleteDay : provisional.length > 0 ? words.provisionalDay : null;

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

/** `Corrected: Wed 7 Oct had 18,265 attempts, not 13,182; 57.0% connected, not 58.8% (Coast office).` */
function movedEarlier({ moved }: Facts, format: Format): Note[] {
  const { words } = format;
  return moved.map(({ period, accounts, before }) => {
    const [now, mailed] = [sumOfPeriod(accounts), sumOfPeriod(before)];
    const counts = (['attempts', 'connects'] as const)
      .filter((count) => now[count] !== mailed[count] && now[count] !== null && mailed[count] !== null)
      .slice(0, 1)
      .map((count) => [`${format.count(now[count])} ${words.counts[count]}`, format.count(mailed[count])]);
    const [rate, rateBefore] = [now, mailed].map(({ connectRate }) => format.rate(connectRate));
    const isRated = rate !== rateBefore && ![rate, rateBefore].includes(format.count(null));
    const rates = isRated ? [[words.subject.connected(rate!), rateBefore!]] : [];
    const changes = [...counts, ...rates].map(([one, other]) => words.notes.instead(one!, other!)).join('; ');
    const names = changedAccounts(accounts, before, format);
    const whose = names.length === 0 ? '' : ` (${names.join(', ')})`;
    const title = words.notes.moved[period.every](periodWords(period, format).short, `${changes}${whose}`);
    return { kind: 'note', tone: 'change', title, lines: [] };
  });
}

/** The accounts whose figures changed, if not all did. */
export function changedAccounts(
  accounts: readonly PeriodFigures[],
  before: readonly PeriodFigures[],
  format: Format,
): readonly string[] {
  const mailed = new Map(before.map((each) => [each.account, each]));
  const changed = accounts.filter(({ account, content }) => mailed.get(account)!.content !== content);
  return changed.length === accounts.length ? [] : format.shortened(changed.map(accountName), maxNames);
}

function incomplete({ accounts, lacking, period }: Facts, format: Format): Note | null {
  if (lacking.length === 0) return null;
  const { words } = format;
  const { notes } = words;
  const lines = lackLines(lacking, period, format);
  const [only] = lines.length === 1 ? lines : [];
  const isNone = !accounts.some(hasFigures);
  const all = only ?? notes.accountsIncomplete(format.countOf(lacking.length, words.accounts));
  return {
    kind: 'note',
    tone: 'warning',
    title: isNone ? notes.allMissing(words.period.the[period.every]) : notes.incomplete(all),
    lines: [...(only !== undefined && !isNone ? [] : lines), notes.correctedFollows],
  };
}

/** `Coast office: not loaded, the service was unavailable`; accounts that lack the same share a line. */
function lackLines(lacking: readonly AccountTotals[], period: Period, format: Format): string[] {
  const groups = Map.groupBy(lacking, (account) => lackOf(account, period, format));
  return [...groups].map(([lack, some]) => `${namesOf(some, format)}: ${lack}`);
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
      ...(lacking.length > 0 ? [] : [isTooLow ? notes.correctedFollows : notes.changesFollow]),
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
      return isTooLowBy(anomaly)
        ? words.missing(
            format.count(anomaly.announced - anomaly.listed),
            format.countOf(anomaly.announced, campaigns),
          )
        : words.announced(format.countOf(anomaly.announced, campaigns), format.count(anomaly.listed));
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
  format.names(accounts.map(accountName));

function lackOf(account: AccountTotals, { every }: Period, format: Format): string {
  const { words } = format;
  const why = account.error === null ? null : whyFailed(account.error, words.notes);
  if (hasFigures(account) && every !== 'day') {
    const days = words.notes.daysLacking(daysOf(account.lackingDays, format));
    return why === null ? days : `${days}, ${why}`;
  }
  if (hasFigures(account)) return words.notes.notOver;
  return why ?? words.notLoaded;
}

/** The codes of errors that managers can make sense of. */
function whyFailed(code: string, words: Format['words']['notes']): string | null {
  if (code === 'TOKEN_REFUSED' || code === 'REQUEST_REFUSED') return words.refused;
  return code === 'SERVICE_UNAVAILABLE' ? words.unavailable : null;
}

/** Many days are only counted. */
function daysOf(days: readonly Day[], format: Format): string {
  return days.length > 3 ? format.countOf(days.length, format.words.days) : format.list(days.map(format.day));
}

/** The sentence of a period without calls; null if it has some, or nothing is loaded, which a note says. */
export function emptyLine({ accounts, totals, period }: Facts, { words }: Format): string | null {
  if (totals.attempts !== 0n || totals.unreportedAttempts > 0) return null;
  // Days that aren't loaded may have calls.
  if (accounts.some(({ state }) => state !== 'loaded')) return words.empty.noneSoFar;
  return totals.campaigns === 0
    ? words.empty.noCampaigns(words.period.that[period.every])
    : words.empty.noAttempts;
}

/** The lines at the end: the reach of the figures and the CSV; the meaning of words, and how to end the mails. */
export function closingLines(facts: Facts, csv: CsvAttachment, format: Format): string[] {
  const { closing } = format.words;
  const { completeThrough, asOf, accounts, period } = facts;
  const reach = [
    completeThrough === null ? closing.incomplete : closing.completeThrough(format.day(completeThrough)),
    ...(asOf === null ? [] : [closing.updated(format.time(asOf))]),
  ];
  if (!accounts.some(hasFigures) || emptyLine(facts, format) !== null)
    return [[...reach, closing.unsubscribe].join(' ')];
  const meanings = [
    closing.glossary,
    ...(period.every === 'day' ? [closing.typical(format.longWeekday(period.to))] : []),
  ];
  return [
    [...reach, ...(csv.isWhole ? [] : [closing.cutCsv])].join(' '),
    [...meanings, closing.unsubscribe].join(' '),
  ];
}
