import type { Story } from '../../src/simulator/story.ts';
import { walk } from './clients.ts';
import { review } from './decide.ts';
import { daysBetween } from './figures.ts';
import {
  arrived,
  beginDigests,
  contentKey,
  digestsOfSettings,
  firstDay,
  isWhole,
  mail,
  mailedOf,
  mailsOf,
  periodKey,
  report,
} from './mails.ts';
import {
  type BuiltMail,
  type Digest,
  has,
  type Observed,
  type Settings,
  type Silence,
  type State,
} from './state.ts';
import { dueDays, sync, windowOf } from './sync.ts';

/*
 * What an analyst would expect of the tables and a manager of the mails, by the truth of a story and docs/concepts.md
 * alone. It shares no code with the product.
 */

export function createState(
  story: Pick<Story, 'accounts' | 'nights'>,
  truth: State['truth'],
  digests: readonly Digest[],
  dateOf: State['dateOf'],
  silence: Silence,
): State {
  const names = story.accounts.map(({ name }) => name);
  return {
    nights: story.nights,
    truth,
    digests,
    dateOf,
    silence,
    now: 0,
    accounts: [],
    since: new Map(),
    windows: new Map(names.map((name) => [name, new Map()])),
    restatements: [],
    restatedDays: [],
    clients: new Map(names.map((name) => [name, new Map()])),
    balances: [],
    mails: [],
    starts: new Map(),
    skipped: new Set(),
  };
}

/** Lives through a night that wasn't killed, and returns the mails that arrive on it. */
export function live(state: State, night: number, settings: Settings): BuiltMail[] {
  const events = state.nights[night] ?? [];
  if (has(events, 'no run')) return [];
  begin(state, night, settings);
  const attempted = new Map<string, readonly number[]>();
  for (const account of state.accounts) {
    walk(state, account, night, null);
    const due = dueDays(state, account, night, settings);
    attempted.set(account, due);
    for (const day of due) sync(state, account, day, night, settings);
  }
  reviewAll(state, night, settings);
  const isAttempted = (account: string, day: number) => attempted.get(account)?.includes(day) === true;
  // The first run mails what is complete; what lacks a refused account comes with the last of its retries.
  const isRetried = state.accounts.some((account) => has(events, 'token refused', account));
  const first = isRetried ? mail(state, night, () => false, settings) : [];
  return [...first, ...mail(state, night, isAttempted, settings)];
}

/** The same for a killed one, which synced what was observed, and mailed nothing. */
export function liveKilled(state: State, night: number, settings: Settings, observed: Observed): void {
  begin(state, night, settings);
  for (const account of state.accounts) {
    walk(state, account, night, observed);
    for (const day of dueDays(state, account, night, settings))
      if (observed.windowWasSynced(account, day)) sync(state, account, day, night, settings);
  }
}

function reviewAll({ accounts, windows }: State, night: number, { catchUp }: Settings): void {
  for (const account of accounts) review(windows.get(account)!, night - catchUp);
}

/** A run begins: of its accounts, new ones are expected from yesterday on, if no backfill went further. */
function begin(state: State, night: number, { accounts }: Settings): void {
  state.accounts = accounts;
  for (const account of accounts) if (!state.since.has(account)) state.since.set(account, night - 1);
  beginDigests(state, night);
}

/** Backfills these days: no walk, no mail. */
export function backfill(state: State, night: number, from: number, to: number, settings: Settings): void {
  state.accounts = settings.accounts;
  beginDigests(state, night);
  const before = contentsOf(state, from, night);
  const isOpen = (account: string, day: number) => {
    const window = windowOf(state, account, day);
    return !window?.confirmed || window.held;
  };
  for (const account of state.accounts)
    for (const day of daysBetween(from, to))
      if (isOpen(account, day)) sync(state, account, day, night, settings);
  reviewAll(state, night, settings);
  for (const account of state.accounts)
    state.since.set(account, Math.min(state.since.get(account) ?? from, from));
  skip(state, from, night, before);
}

/** The contents that mails would have of these days, to be compared later. */
const contentsOf = (state: State, from: number, night: number): ReadonlySet<string> =>
  new Set(
    digestsOfSettings(state).flatMap((digest) =>
      daysBetween(from, night - 1)
        .filter((last) => firstDay(state, digest.every, last) !== null)
        .flatMap((last) =>
          report(state, digest, last).accounts.map((each) => contentKey(digest, last, each)),
        ),
    ),
  );

/**
 * Nobody is mailed about history. Yesterday, and a week or month that isn't over, are none. What was mailed in part is
 * corrected, whoever loads it; of what was mailed whole, only what the backfill changed is skipped.
 */
function skip(state: State, from: number, night: number, before: ReadonlySet<string>): void {
  for (const digest of digestsOfSettings(state))
    for (const last of daysBetween(from, night - 1)) {
      if (firstDay(state, digest.every, last) === null) continue;
      const mails = mailsOf(state, digest);
      if (last < night - 1 && mailedOf(mails, last).size === 0) state.skipped.add(periodKey(digest, last));
      const { accounts } = report(state, digest, last);
      const delivered = mailedOf(arrived(mails), last);
      const mailed = accounts.flatMap(({ account }) => delivered.get(account) ?? []);
      if (mailed.length === 0 || !mailed.every(isWhole)) continue;
      for (const each of accounts) {
        const key = contentKey(digest, last, each);
        if (!before.has(key)) state.skipped.add(key);
      }
    }
}

/** Loads again what is archived: that changes nothing, but a change of accounts that the settings name is seen. */
export function replay(state: State, night: number, settings: Settings): void {
  state.accounts = settings.accounts;
  reviewAll(state, night, settings);
}
