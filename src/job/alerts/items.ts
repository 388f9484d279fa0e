import { type ObservedSign, signId, starred } from '../../model/accepted.ts';
import type { AlertStep, CommandWords } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import type { UndeliveredMessage } from '../../model/digest.ts';
import type { DigestKey } from '../../model/period.ts';
import {
  capitalize,
  formatCountOf,
  formatDate,
  formatDates,
  formatList,
  withStop,
} from '../../support/english.ts';
import type { AccountState, WarehouseState } from './state.ts';

/** One thing that a condition holds for: a day, a client list, a message, a digest, or the runs. */
export type Item = {
  /** Its name in a dismissal. */
  readonly id: string;
  /** Items of a condition with other parts are other alerts: the status of a response, the code of an error or anomaly. */
  readonly part?: string | null;
  /** The status of the service's response. */
  readonly status?: string | null;
  readonly account?: AccountState;
  /** Without a day, an item of an account is about its client list, or about all of its days. */
  readonly day?: Day;
  /** The figures lack the day. */
  readonly lacks?: boolean;
  /** The run gave the operation up before it requested the account. */
  readonly isUnrequested?: boolean;
  /** The digest, and who didn't get it. */
  readonly digest?: DigestKey;
  readonly message?: UndeliveredMessage;
  /** Words of the service, the mail server or the run; a phrase. */
  readonly detail?: string;
  /** What a person may accept for good. */
  readonly signs?: readonly ObservedSign[] | undefined;
  /** Number of records, clients or days. */
  readonly count?: number;
};

export type Items = readonly Item[];

export const ofDay = (account: AccountState, day: Day) => ({ id: `${account.name} ${day}`, account, day });

export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
export const total = (items: Items) => items.reduce((sum, { count = 0 }) => sum + count, 0);
export const daysOf = (items: Items) => unique(items.flatMap(({ day }) => day ?? [])).sort();
export const namesOf = (items: Items) => unique(items.flatMap(({ account }) => account?.name ?? []));
export const detailsIn = (items: Items): string[] => items.map(({ detail }) => detail!);
export const lastDetail = (items: Items): string => items.at(-1)!.detail!;

/** The last detail as a sentence. */
export const lastSentence = (items: Items): string => withStop(capitalize(lastDetail(items)));

/** The days that the figures lack; all of them if they lack none. */
export function lackingDays(items: Items): Day[] {
  const lacking = daysOf(items.filter(({ lacks }) => lacks));
  return lacking.length > 0 ? lacking : daysOf(items);
}

export const fromTo = (days: readonly Day[], today: Day) =>
  `from ${formatDate(days[0]!, today)} to ${formatDate(days.at(-1)!, today)}`;

/** Days that only some of the accounts lack are no list of days for all. */
export function formatLacking(items: Items, today: Day): string {
  const days = lackingDays(items);
  const open = items.filter(({ lacks }) => lacks);
  const lackTheSame = open.length === daysOf(open).length * namesOf(open).length;
  return lackTheSame
    ? formatDates(days, today)
    : `${formatCountOf(open.length, 'day')} ${fromTo(days, today)}`;
}

/** `No figures for 19 Nov and 20 Nov (2,000 accounts)`. */
export function withoutFigures(items: Items, today: Day): string {
  const open = items.filter(({ lacks }) => lacks);
  const names = namesOf(open);
  const lacking = names.length === 1 ? open[0]!.account!.label : formatCountOf(names.length, 'account');
  // The title names a single account.
  const whose = namesOf(items).length === 1 ? '' : ` (${lacking})`;
  return `No figures for ${formatLacking(open, today)}${whose}`;
}

/** The detail if all have one, else the first three with their places. */
export function detailsOf(items: Items, today: Day): string {
  const details = unique(detailsIn(items));
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
export const accountOptions = (items: Items) =>
  namesOf(items).length > 5 ? [] : namesOf(items).flatMap((name) => ['--account', name]);

/** A command without `--account` is about others, too. */
export const ofAll = (options: readonly string[]) => (options.length === 0 ? ', for all accounts' : '');

export function rangeOptions(items: Items): string[] {
  const days = daysOf(items);
  return ['--from', days[0]!, '--to', days.at(-1)!];
}

export function windowOptions(items: Items): string[] {
  const days = daysOf(items);
  return [...(days.length === 1 ? ['--day', days[0]!] : rangeOptions(items)), ...accountOptions(items)];
}

export const manual = (text: string): AlertStep => ({ text, command: null });

export const typed = (text: string, ...command: CommandWords): AlertStep => ({ text, command });

/** Does the next run's work at once. */
export const runNow = (text: string): AlertStep => typed(text, 'run');

/** Dismisses an alert that can't be fixed. */
export const dismiss = (text: string, key: string): AlertStep => typed(text, 'status', '--dismiss', key);

export const seeFault = typed('To see what is wrong, and whether a setting ends it', 'doctor');
export const reportIt = manual("Report it as an issue of Callsheet, with the error's stack in the run's log");

/** Writes new tokens where the accounts have theirs. */
export function writeTokens(what: string, items: Items): AlertStep {
  const places = unique(items.flatMap(({ account }) => account?.token ?? []));
  const where = places.length > 3 ? 'where the file named in ACCOUNTS_FILE says' : `to ${formatList(places)}`;
  return manual(`${what} ${where}`);
}

/** The signs as the part of an alert's key: all that have the same are one cause. */
export function partOfSigns(signs: readonly ObservedSign[]): string {
  const ids = unique(signs.map(signId)).sort();
  return ids.join('+');
}

/** Accepts each sign for good: as it is or, if only its numbers differ, whatever these are. */
export function acceptAlways(text: string, items: Items, { accounts }: WarehouseState): AlertStep[] {
  const whose = namesOf(items).length === accounts.length ? [] : accountOptions(items);
  const asked = `${text}, to accept it for good${accounts.length > 1 ? ofAll(whose) : ''}`;
  const byId = Map.groupBy(
    items.flatMap(({ signs = [] }) => signs),
    signId,
  );
  return [...byId].map(([id, signs]) => {
    const all = unique(signs.map(({ sign }) => sign));
    const sign = all.length === 1 ? all[0]! : starred(signs[0]!);
    return typed(byId.size === 1 ? asked : `${asked}: ${sign}`, 'accept', '--always', id, ...whose);
  });
}
