import type { StoryEvent } from '../../src/simulator/story.ts';
import { daysBetween, daysOf, type Every, type Period, type Row, sumOf } from './figures.ts';
import {
  type AccountState,
  type BuiltMail,
  type Digest,
  has,
  type RestatedDay,
  type Settings,
  type State,
  type ToldPeriod,
} from './state.ts';
import { sumsOf, windowOf } from './sync.ts';
import { daysIn } from './windows.ts';

/* Which mails a night builds and sends, by *Digest*, *Mailed* and *Quiet day* (docs/concepts.md). A period is named by its last day. */

/**
 * The digests that a run builds after its attempts. Returns what arrives: what was pending, and then these.
 *
 * @param isAttempted whether the run asked for that window
 */
export function mail(
  state: State,
  night: number,
  isAttempted: (account: string, day: number) => boolean,
  settings: Settings,
): BuiltMail[] {
  const own = digestsOfSettings(state);
  const events = state.nights[night] ?? [];
  const earlier = deliver(state, events, own);
  for (const digest of own) {
    const periods = daysBetween(Math.min(...state.since.values()), night - 1).filter(
      (last) => firstDay(state, digest.every, last) !== null,
    );
    const earliest = night - settings.catchUp;
    const arrivedBefore = arrived(mailsOf(state, digest));
    const newest = periods.findLast(
      (last) => mailedOf(arrivedBefore, last).size > 0 || state.skipped.has(periodKey(digest, last)),
    );
    const first = newest === undefined ? earliest : Math.min(earliest, newest + 1);
    const due = periods
      .filter((last) => isDue(state, digest, last, first, isAttempted))
      .filter((last) => last >= earliest || isQuiet(state, digest, last));
    const news = periods.filter((last) => isNews(state, digest, last));
    const calling = due.filter((day) => !isQuiet(state, digest, day));
    const isSkipped = due.length - calling.length < 7 && arrivedBefore.length > 0;
    const corrections = news.filter((last) => isReason(state, digest, last));
    const wanted = (isSkipped ? calling : due).filter((last) => isReason(state, digest, last));
    if (corrections.length + wanted.length === 0) continue;
    const last = calling.at(-1) ?? corrections.at(-1) ?? due.at(-1)!;
    const others = [...due, ...news].filter((other) => other !== last).sort((one, other) => one - other);
    build(state, digest, last, others);
  }
  return [...earlier, ...deliver(state, events, own)];
}

/** Those with an account of the settings. */
export const digestsOfSettings = ({ digests, accounts }: State): Digest[] =>
  digests
    .map((digest) => ({ ...digest, accounts: digest.accounts.filter((name) => accounts.includes(name)) }))
    .filter((digest) => digest.accounts.length > 0);

/** New digests begin with the first period that ends after this night, be it a run's or a backfill's. */
export function beginDigests(state: State, night: number): void {
  for (const { name, every } of digestsOfSettings(state)) {
    if (state.starts.has(name)) continue;
    let start = night - 2;
    while (firstDay(state, every, start) === null) start--;
    state.starts.set(name, start);
  }
}

/** The first day of the period that ends with a day; null if none does. */
export function firstDay({ dateOf }: State, every: Every, last: number): number | null {
  const date = Temporal.PlainDate.from(dateOf(last));
  if (every === 'day') return last;
  if (every === 'week') return date.dayOfWeek === 7 ? last - 6 : null;
  return date.day === date.daysInMonth ? last - date.day + 1 : null;
}

export const mailsOf = ({ mails }: State, { name, every }: Digest) =>
  mails.filter(({ digest }) => digest.name === name && digest.every === every);

export const arrived = (mails: readonly BuiltMail[]) =>
  mails.filter(({ delivery }) => delivery === 'arrived');

/** What mails said last of a period, account by account. */
export const mailedOf = (mails: readonly BuiltMail[], last: number): ReadonlyMap<string, AccountState> =>
  new Map(
    mails
      .flatMap(({ periods }) => periods)
      .filter(({ period }) => period.last === last)
      .flatMap(({ accounts }) => accounts.map((each) => [each.account, each])),
  );

export const isWhole = ({ hasFigures, lacking, provisional }: AccountState) =>
  hasFigures && lacking.length === 0 && provisional.length === 0;

export const periodKey = ({ name }: Digest, last: number) => `${name} ${last}`;
export const contentKey = (digest: Digest, last: number, { account, content }: AccountState) =>
  `${periodKey(digest, last)} ${account} ${content}`;

/** The accounts of a digest that are part of a period: from their first expected days on. */
const partOf = ({ since }: State, { accounts }: Digest, last: number) =>
  accounts.filter((account) => since.get(account)! <= last);

/** What a mail says of a period now. */
export function report(state: State, digest: Digest, last: number): ToldPeriod {
  const period: Period = { every: digest.every, first: firstDay(state, digest.every, last)!, last };
  const accounts = partOf(state, digest, last).map((account): AccountState => {
    const own = daysBetween(Math.max(period.first, state.since.get(account)!), last).map((day) => ({
      day,
      window: windowOf(state, account, day),
    }));
    return {
      account,
      rows: daysIn(state).rowsOf(account, period),
      content: own.map(({ window }) => (window?.loaded ? window.content : '?')).join('/'),
      hasFigures: own.some(({ window }) => window?.loaded),
      lacking: own.filter(({ window }) => !window?.loaded).map(({ day }) => day),
      provisional: own.flatMap(({ day, window }) => (window?.loaded && !window.confirmed ? [day] : [])),
    };
  });
  return { period, accounts };
}

/** Nobody was mailed about a full period, and all of its days are loaded or were attempted. */
function isDue(
  state: State,
  digest: Digest,
  last: number,
  earliest: number,
  isAttempted: (account: string, day: number) => boolean,
): boolean {
  const first = firstDay(state, digest.every, last)!;
  const isMailed = mailedOf(arrived(mailsOf(state, digest)), last).size > 0;
  if (isMailed || state.skipped.has(periodKey(digest, last))) return false;
  const isFull = digest.accounts.some((account) => state.since.get(account)! <= first);
  if (!isFull || last <= state.starts.get(digest.name)! || last < earliest) return false;
  return partOf(state, digest, last).every((account) =>
    daysBetween(Math.max(first, earliest, state.since.get(account)!), last).every(
      (day) => windowOf(state, account, day)?.loaded || isAttempted(account, day),
    ),
  );
}

const isNews = (state: State, digest: Digest, last: number) =>
  isChanged(state, digest, last, arrived(mailsOf(state, digest)));

/** Something else is true by now than these mails said. */
function isChanged(state: State, digest: Digest, last: number, mails: readonly BuiltMail[]): boolean {
  const mailed = mailedOf(mails, last);
  return report(state, digest, last).accounts.some((now) => {
    const before = mailed.get(now.account);
    if (before === undefined || before.content === now.content) return false;
    return !state.skipped.has(contentKey(digest, last, now));
  });
}

/** It was never built; or it was built in part and is confirmed by now; or it moved by a tenth and by twenty. */
function isReason(state: State, digest: Digest, last: number): boolean {
  const mails = mailsOf(state, digest);
  const mailed = mailedOf(mails, last);
  const now = report(state, digest, last).accounts.filter(({ account }) => mailed.has(account));
  const before = now.map(({ account }) => mailed.get(account)!);
  if (now.length === 0) return true;
  if (!isChanged(state, digest, last, mails)) return false;
  if (now.every(isWhole) && !before.every(isWhole)) return true;
  return (['attempts', 'connects'] as const).some((name) => {
    const sum = (some: readonly AccountState[]) =>
      some.reduce((all, { rows }) => all + (sumOf(rows, name) ?? 0), 0);
    const moved = Math.abs(sum(now) - sum(before));
    return moved >= 20 && moved * 10 >= sum(before);
  });
}

/** A confirmed day without calls of any account; none had any two weeks in a row before, as far as it is known of each. */
function isQuiet(state: State, digest: Digest, day: number): boolean {
  if (digest.every !== 'day') return false;
  const attemptsOn = (account: string, on: number) =>
    sumOf(daysIn(state).rowsOf(account, { first: on, last: on }), 'attempts');
  const isSilent = (account: string, on: number) =>
    windowOf(state, account, on)?.confirmed === true && attemptsOn(account, on) === 0;
  const hasCalls = (account: string, on: number) =>
    windowOf(state, account, on)?.loaded === true && (attemptsOn(account, on) ?? 0) > 0;
  // Of an account that listed no campaign on three days, nobody knows whether its days are without calls.
  const isKnown = (account: string) => {
    const loaded = [...state.windows.get(account)!.values()].filter((window) => window.loaded);
    return loaded.length < 3 || loaded.some(({ rows }) => rows.size > 0);
  };
  const before = [day - 7, day - 14];
  const accounts = partOf(state, digest, day);
  return (
    accounts.every(
      (account) => isKnown(account) && isSilent(account, day) && !before.some((on) => hasCalls(account, on)),
    ) && accounts.some((account) => before.every((on) => isSilent(account, on)))
  );
}

/** Freezes a mail: its period, and those in its table, with what was mailed of them. It replaces what nobody got. */
function build(state: State, digest: Digest, last: number, others: readonly number[]): void {
  state.now++;
  const delivered = arrived(mailsOf(state, digest));
  const mailed = (other: number) => {
    const before = mailedOf(delivered, other);
    const own = digest.accounts.flatMap((account) => before.get(account) ?? []);
    return own.length === 0 ? undefined : own;
  };
  const shown = report(state, digest, last);
  const earlier = others.map((other) => {
    const before = mailed(other);
    const { period, accounts } = report(state, digest, other);
    // Of accounts that joined since it was mailed, there are no news.
    const isMailed = ({ account }: AccountState) =>
      before === undefined || before.some((each) => each.account === account);
    return { period, accounts: accounts.filter(isMailed), before };
  });
  const listed = [...earlier.filter((each) => !each.before?.every(isWhole)), shown];
  const isReplaced = (each: BuiltMail) => mailsOf(state, digest).includes(each) && !delivered.includes(each);
  state.mails = state.mails.filter((each) => !isReplaced(each));
  state.mails.push({
    digest,
    at: state.now,
    file: fileOf(state, digest, shown.period, mailed(last) === undefined ? [] : delivered),
    rows: listed
      .flatMap((each) => each.accounts.flatMap(({ rows }) => rows))
      .map((row) => ({ ...row, status: statusOf(state, row) })),
    periods: [...earlier, shown],
    delivery: 'pending',
  });
}

function fileOf(
  { dateOf }: State,
  { name, every, to }: Digest,
  { first, last }: Period,
  delivered: readonly BuiltMail[],
): string {
  const date = dateOf(first);
  const title = { day: date, week: `${date}-week`, month: `${date.slice(0, 7)}-month` }[every];
  const times = delivered.filter(({ periods }) => periods.some(({ period }) => period.last === last)).length;
  const correction = times === 0 ? '' : `-corrected${times === 1 ? '' : `-${times}`}`;
  return `${name.toLowerCase()}-${title}${correction}-${to}`;
}

function statusOf(state: State, { account, day, callset }: Row) {
  if (!windowOf(state, account, day)!.confirmed) return 'provisional';
  const isOf = (each: State['restatements'][number]) =>
    each.account === account && each.day === day && each.callset === callset;
  return state.restatements.some(isOf) ? 'restated' : 'loaded';
}

/** Tries what is pending of these digests; returns what arrives. */
function deliver(state: State, events: readonly StoryEvent[], own: readonly Digest[]): BuiltMail[] {
  if (has(events, 'mail server down')) return [];
  const isOwn = (mail: BuiltMail) => own.some(({ name }) => name === mail.digest.name);
  const refused = events.flatMap((event) => (event.event === 'recipient refused' ? [event.recipient] : []));
  const isTaken = (mail: BuiltMail) => isOwn(mail) && !refused.includes(mail.digest.to);
  const sent = state.mails.filter((mail) => mail.delivery === 'pending' && isTaken(mail));
  for (const mail of sent) mail.delivery = 'arrived';
  return sent;
}

/** Finished days that changed. With the sums since then, because a day that isn't confirmed changes in place. */
export function restatedDaysOf(state: State) {
  const isSame = (one: RestatedDay) => (other: RestatedDay) =>
    one.account === other.account && one.day === other.day;
  return state.restatedDays.map((each, index) => {
    const last = state.restatedDays.slice(0, index).findLast(isSame(each))?.at ?? 0;
    const next = state.restatedDays.slice(index + 1).find(isSame(each));
    return {
      ...each,
      after: next?.before ?? sumsOf(windowOf(state, each.account, each.day)!),
      wasMailed: mailedBetween(state, each, last),
    };
  });
}

/** A mail that arrived had the figures before: it was built since the day last changed. */
const mailedBetween = ({ mails }: State, { account, day, at }: RestatedDay, last: number) =>
  arrived(mails)
    .filter((mail) => mail.at < at && mail.at > last)
    .flatMap(({ periods }) => periods)
    .filter(({ period }) => daysOf(period).includes(day))
    .some(({ accounts }) =>
      accounts.some((own) => own.account === account && own.hasFigures && !own.lacking.includes(day)),
    );
