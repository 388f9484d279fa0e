import type { AlertStep, CommandWords } from '../../model/alert.ts';
import { type Day, daysBetween } from '../../model/day.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { DigestKey } from '../../model/period.ts';
import {
  capitalize,
  formatCount,
  formatCountOf,
  formatDate,
  formatDates,
  formatList,
  withStop,
} from '../../support/english.ts';
import type { AccountState, UndeliveredMessage } from './state.ts';

/** One thing that a condition holds for: a day, a client list, a message, a digest, or the runs. */
export type Item = {
  /** What a dismissal acknowledges. */
  readonly id: string;
  /** Items of a condition with other parts are other alerts: the status of a response, the code of an anomaly. */
  readonly part?: string | null;
  /** What the service answered. */
  readonly status?: string | null;
  readonly account?: AccountState;
  /** Without a day, an item of an account is about its client list, or about all of its days. */
  readonly day?: Day;
  /** The figures lack the day. */
  readonly lacks?: boolean;
  /** The digest, and who didn't get it. */
  readonly digest?: DigestKey;
  readonly message?: UndeliveredMessage;
  /** The error of a run or of a digest. */
  readonly error?: ErrorCode;
  /** What the service, the mail server or the run says; a phrase. */
  readonly detail?: string;
  /** Number of records, clients or days. */
  readonly count?: number;
  /** The date since when, if it is the item's own. */
  readonly since?: Day | null;
};

export type Items = readonly Item[];

export const ofDay = (account: AccountState, day: Day) => ({ id: `${account.name} ${day}`, account, day });

export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
export const total = (items: Items) => items.reduce((sum, { count = 0 }) => sum + count, 0);
export const daysOf = (items: Items) => unique(items.flatMap(({ day }) => day ?? [])).sort();
export const namesOf = (items: Items) => unique(items.flatMap(({ account }) => account?.name ?? []));
export const lastDetail = (items: Items): string => items.at(-1)!.detail!;

/** The days that the figures lack; all of them if they lack none. */
export function lackingDays(items: Items): Day[] {
  const lacking = daysOf(items.filter(({ lacks }) => lacks));
  return lacking.length > 0 ? lacking : daysOf(items);
}

/** All accounts lack the same days. */
const lackTheSame = (open: Items) => open.length === daysOf(open).length * namesOf(open).length;

const between = (days: readonly Day[], today: Day) =>
  `between ${formatDate(days[0]!, today)} and ${formatDate(days.at(-1)!, today)}`;

/** Days that only some of the accounts lack are no list of days for all. */
export function formatLacking(items: Items, today: Day): string {
  const days = lackingDays(items);
  return lackTheSame(items.filter(({ lacks }) => lacks)) ? formatDates(days, today) : between(days, today);
}

/** `No figures since 12 Nov for 2,000 accounts, for 400 of them since 11 Nov`: counted if accounts differ. */
export function withoutFigures(items: Items, today: Day): string {
  const open = items.filter(({ lacks }) => lacks);
  const each = [...Map.groupBy(open, ({ account }) => account!.name).values()];
  const firsts = each.map((own) => daysOf(own)[0]!).sort();
  const [newest, ...earlier] = unique(firsts).reverse();
  const isUpToNow = each.every((own) => {
    const { day, account } = own[0]!;
    return daysBetween(day!, account!.yesterday).length === own.length;
  });
  if (!isUpToNow || earlier.length > 1 || daysOf(open).length === 1)
    return `No figures for ${countDays(open, today)}`;
  const whose = each.length === 1 ? '' : ` for ${formatCountOf(each.length, 'account')}`;
  const longer = firsts.filter((first) => first === earlier[0]).length;
  const some =
    longer === 0 ? '' : `, for ${formatCount(longer)} of them since ${formatDate(earlier[0]!, today)}`;
  return `No figures since ${formatDate(newest!, today)}${whose}${some}`;
}

/** `20 Nov (6 accounts) and 19 Nov (1)`. */
function countDays(open: Items, today: Day): string {
  const days = daysOf(open);
  const accounts = namesOf(open).length;
  const counted = accounts === 1 ? '' : ` (${formatCountOf(accounts, 'account')})`;
  if (lackTheSame(open)) return `${formatDates(days, today)}${counted}`;
  if (days.length > 3) return `days ${between(days, today)}${counted}`;
  const each = days
    .map((day) => [formatDate(day, today), open.filter((item) => item.day === day).length] as const)
    .sort(([, one], [, other]) => other - one);
  return formatList(
    each.map(([day, count], index) => `${day} (${index === 0 ? formatCountOf(count, 'account') : count})`),
  );
}

/** `Since 4 Mar. `; counted if the items began on other dates. */
export function sinceOf(items: readonly Pick<Item, 'since'>[], today: Day): string {
  const dates = items.flatMap(({ since }) => since ?? []).sort();
  const [first] = dates;
  if (first === undefined) return '';
  const different = unique(dates);
  if (different.length === 1) return `Since ${formatDate(first, today)}. `;
  if (different.length > 2) return `Since dates ${between(different, today)}. `;
  const earlier = dates.filter((date) => date === first).length;
  return `Since ${formatDate(dates.at(-1)!, today)}, for ${formatCount(earlier)} of them since ${formatDate(first, today)}. `;
}

/** The detail if all have one, else the first three with their places. */
export function detailsOf(items: Items, today: Day): string {
  const details = unique(items.map(({ detail }) => detail!));
  if (details.length === 1) return withStop(capitalize(details[0]!));
  const placed = items.map(
    ({ account, day, detail }) => `${account!.label}, ${formatDate(day!, today)}: ${detail}`,
  );
  return withStop(capitalize(firstThree(placed)));
}

export function firstThree(phrases: readonly string[]): string {
  const some = unique(phrases);
  return `${some.slice(0, 3).join('; ')}${some.length > 3 ? `; and ${some.length - 3} more` : ''}`;
}

/** `--account` for each, unless they are too many for a line: then the command takes all. */
export const accountsOf = (items: Items) =>
  namesOf(items).length > 5 ? [] : namesOf(items).flatMap((name) => ['--account', name]);

export function spanOf(items: Items): string[] {
  const days = daysOf(items);
  return ['--from', days[0]!, '--to', days.at(-1)!];
}

export function windowsOf(items: Items): string[] {
  const days = daysOf(items);
  return [...(days.length === 1 ? ['--day', days[0]!] : spanOf(items)), ...accountsOf(items)];
}

export const manual = (text: string): AlertStep => ({ text, command: null });

export const typed = (text: string, ...command: CommandWords): AlertStep => ({ text, command });

/** Does the next run's work at once. */
export const runNow = (text = 'To do it now'): AlertStep => typed(text, 'run');

const restartCommand = 'docker compose up --detach --force-recreate schedule';

/** What `schedule` reads at its start alone, it uses after a restart. */
export const restart = (file: string): AlertStep =>
  manual(
    `If schedule is running, restart it, because it read ${file} at its start. In Compose: ${restartCommand}`,
  );

/** Writes new tokens where the accounts have theirs. */
export function writeTokens(what: string, items: Items): AlertStep[] {
  const tokens = items.flatMap(({ account }) => account?.token ?? []);
  const places = unique(tokens.map(({ place }) => place));
  const where = places.length > 3 ? 'where ACCOUNTS_FILE names them' : `to ${formatList(places)}`;
  const files = unique(tokens.flatMap(({ readAtStart }) => readAtStart ?? []));
  return [manual(`${what} ${where}`), ...(files.length === 0 ? [] : [restart(formatList(files))])];
}
