import { yesterday } from '../../planning/business-day.ts';
import { formatCountOf, formatList } from '../../support/english.ts';
import type { AccountStatus } from '../../warehouse/queries/status.ts';
import { asSentence, formatDay, instantOf } from './format.ts';
import type { Overview } from './overview.ts';

/** The state of everything, in one sentence. */
export type StatusLine = { readonly tone: 'good' | 'attention' | 'bad'; readonly sentence: string };

type Concern = { readonly grave: boolean; readonly message: string };

export function statusLine(overview: Overview): StatusLine {
  const concerns = findConcerns(overview);
  if (concerns.length > 0) {
    // What is grave comes first, and alone: the rest is below.
    const graveOnes = concerns.filter((concern) => concern.grave);
    const message = formatList(
      (graveOnes.length > 0 ? graveOnes : concerns).map((concern) => concern.message),
    );
    const tone = graveOnes.length > 0 ? 'bad' : 'attention';
    return { tone, sentence: asSentence(message) };
  }
  if (overview.accounts.every((account) => account.since === null))
    return { tone: 'attention', sentence: 'Nothing is loaded yet: the first run brings yesterday.' };
  return { tone: 'good', sentence: `Everything is all right: ${howFar(overview)}.` };
}

/** Whether all that is missing is the day that only ended after the last run began. */
export function waits({ gaps, timeZone }: AccountStatus, { now, scheduled }: Overview): boolean {
  if (gaps.length !== 1 || gaps[0] !== yesterday(now, timeZone) || scheduled.lastStartedAt === null)
    return false;
  const dayBegan = now.toZonedDateTimeISO(timeZone).startOfDay().toInstant();
  return Temporal.Instant.compare(instantOf(scheduled.lastStartedAt), dayBegan) < 0;
}

function findConcerns(overview: Overview): Concern[] {
  const { accounts, runs, scheduled, unsent } = overview;
  const behind = accounts.filter((account) => account.gaps.length > 0 && !waits(account, overview));
  const missing = sum(behind.map((account) => account.gaps.length));
  const atWork = runs.find((run) => run.exclusive)?.finishedAt === null;
  // Mail that the run at work has yet to send is no concern.
  const undelivered = unsent.filter(({ state }) => !(atWork && (state === 'pending' || state === 'sending')));
  const held = sum(accounts.map((account) => account.held.length));
  const suspicious = sum(accounts.map((account) => account.suspicious.length));
  const quarantined = sum(accounts.map((account) => account.quarantined));
  const of = behind.length === 1 ? behind[0]!.account : formatCountOf(behind.length, 'account');
  return [
    grave(scheduled.last?.outcome === 'failed', 'the last run failed'),
    minor(scheduled.last?.outcome === 'interrupted', 'the last run was interrupted'),
    grave(
      missing > 0,
      `${formatCountOf(missing, 'day')} of ${of} ${missing === 1 ? "isn't" : "aren't"} loaded`,
    ),
    grave(
      undelivered.length > 0,
      `${formatCountOf(undelivered.length, 'message')} ${undelivered.length === 1 ? "wasn't" : "weren't"} delivered`,
    ),
    minor(held > 0, `${formatCountOf(held, 'response')} ${held === 1 ? 'is' : 'are'} held`),
    minor(suspicious > 0, `${formatCountOf(suspicious, 'day')} without the usual calls`),
    minor(quarantined > 0, `${formatCountOf(quarantined, 'record')} in quarantine`),
  ].filter((concern) => concern !== null);
}

const grave = (is: boolean, message: string): Concern | null => (is ? { grave: true, message } : null);
const minor = (is: boolean, message: string): Concern | null => (is ? { grave: false, message } : null);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function howFar(overview: Overview): string {
  const through = overview.accounts.flatMap(({ completeThrough }) => completeThrough ?? []).sort();
  const waiting = overview.accounts.filter((account) => waits(account, overview));
  const loaded =
    through[0] === undefined ? 'nothing is late' : `every day is loaded through ${formatDay(through[0])}`;
  if (waiting.length === 0) return loaded;
  return `${loaded}, and the next run brings ${formatDay(waiting[0]!.gaps[0]!)}`;
}
