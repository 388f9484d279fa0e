import { yesterday } from '../../planning/business-day.ts';
import { type WalkConcern, walkConcerns } from '../../planning/walk-status.ts';
import { formatCountOf, formatList, plural } from '../../support/english.ts';
import type { AccountStatus } from '../../warehouse/queries/status.ts';
import { asSentence, formatDay } from './elements.ts';
import type { Overview } from './overview.ts';

/** The state of everything, in one sentence. */
export type StatusLine = { readonly tone: 'good' | 'attention' | 'bad'; readonly sentence: string };

export function statusLine(overview: Overview): StatusLine {
  const grave = graveConcerns(overview);
  if (grave.length > 0) return { tone: 'bad', sentence: asSentence(formatList(grave)) };
  const minor = minorConcerns(overview);
  if (minor.length > 0) return { tone: 'attention', sentence: asSentence(formatList(minor)) };
  if (overview.accounts.every((account) => account.since === null))
    return { tone: 'attention', sentence: 'Nothing is loaded yet: the first run loads yesterday.' };
  return { tone: 'good', sentence: `Everything is all right: ${describeLoaded(overview)}.` };
}

/** Whether only the day is missing that ended after the last run began. */
export function awaitsRun({ gaps, timeZone }: AccountStatus, { now, scheduled }: Overview): boolean {
  if (gaps.length !== 1 || gaps[0] !== yesterday(now, timeZone) || scheduled.lastStartedAt === null)
    return false;
  const startOfToday = now.toZonedDateTimeISO(timeZone).startOfDay().toInstant();
  return Temporal.Instant.compare(scheduled.lastStartedAt, startOfToday) < 0;
}

/** Whether days are missing that a run should have loaded. */
export const isBehind = (account: AccountStatus, overview: Overview): boolean =>
  account.gaps.length > 0 && !awaitsRun(account, overview);

function graveConcerns(overview: Overview): string[] {
  const { accounts, runs, scheduled, unsent } = overview;
  const concerns: string[] = [];
  if (scheduled.last?.outcome === 'failed') concerns.push('the last run failed');
  const behind = accounts.filter((account) => isBehind(account, overview));
  const missing = behind.flatMap((account) => account.gaps).length;
  if (missing > 0) {
    const verb = plural(missing, "isn't", "aren't");
    concerns.push(`${formatCountOf(missing, 'day')} of ${nameOrCount(behind)} ${verb} loaded`);
  }
  const unwalked = accountsWith('incomplete', accounts);
  if (unwalked.length > 0) {
    const lists = plural(unwalked.length, 'the client list', 'the client lists');
    concerns.push(`${lists} of ${nameOrCount(unwalked)} ${plural(unwalked.length, 'is', 'are')} incomplete`);
  }
  // Mail that the run in progress has yet to send is no concern.
  const inProgress = runs.find((run) => run.exclusive)?.finishedAt === null;
  const toBeSent = inProgress ? ['pending', 'sending'] : [];
  const { length: undelivered } = unsent.filter(({ state }) => !toBeSent.includes(state));
  if (undelivered > 0) {
    const verb = plural(undelivered, "wasn't", "weren't");
    concerns.push(`${formatCountOf(undelivered, 'message')} ${verb} delivered`);
  }
  return concerns;
}

/** The accounts whose client list has an alert of this kind. */
const accountsWith = (kind: WalkConcern['kind'], accounts: readonly AccountStatus[]) =>
  accounts.filter(({ walk }) => walkConcerns(walk).some((concern) => concern.kind === kind));

/** One account by its name, several by their number. */
const nameOrCount = (accounts: readonly AccountStatus[]): string =>
  accounts.length === 1 ? accounts[0]!.account : formatCountOf(accounts.length, 'account');

function minorConcerns({ accounts, scheduled }: Overview): string[] {
  const concerns: string[] = [];
  if (scheduled.last?.outcome === 'interrupted') concerns.push('the last run was interrupted');
  const unbelievable = accountsWith('unbelievable', accounts);
  if (unbelievable.length > 0)
    concerns.push(`over half of the clients of ${nameOrCount(unbelievable)} are missing`);
  const notRefreshed = accounts.flatMap((account) => account.notRefreshed).length;
  if (notRefreshed > 0)
    concerns.push(`${formatCountOf(notRefreshed, 'loaded day')} couldn't be fetched again`);
  const held = accounts.flatMap((account) => account.held).length;
  if (held > 0) concerns.push(`${formatCountOf(held, 'response')} ${plural(held, 'is', 'are')} held`);
  const suspicious = accounts.flatMap((account) => account.suspicious).length;
  if (suspicious > 0) concerns.push(formatCountOf(suspicious, 'suspicious day'));
  const quarantined = accounts.reduce((total, account) => total + account.quarantined, 0);
  if (quarantined > 0) concerns.push(`${formatCountOf(quarantined, 'record')} in quarantine`);
  return concerns;
}

function describeLoaded(overview: Overview): string {
  const through = overview.accounts.flatMap(({ completeThrough }) => completeThrough ?? []).sort();
  const loaded =
    through[0] === undefined ? 'nothing is late' : `every day is loaded through ${formatDay(through[0])}`;
  const waiting = overview.accounts.find((account) => awaitsRun(account, overview));
  return waiting === undefined ? loaded : `${loaded}, and the next run loads ${formatDay(waiting.gaps[0]!)}`;
}
