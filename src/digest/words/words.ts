import type { Every } from '../../model/period.ts';
import type { CountName } from '../../model/records.ts';

/** One, and any other number of it. */
export type Noun = readonly [one: string, many: string];

/** A text of each kind of digest. */
type ByPeriod = { readonly [every in Every]: string };

/** All that a digest says in one language. Dates, numbers and lists come as the locale writes them. */
export type Words = {
  /** Counts in a sentence. */
  readonly counts: { readonly [name in CountName]: string };
  readonly campaigns: Noun;
  readonly accounts: Noun;
  readonly days: Noun;
  /** A count with its noun in the plural: `7,613 of 12,480 attempts`. */
  readonly partOfAttempts: (part: string, attempts: string) => string;
  readonly shareOfAttempts: (rate: string) => string;
  readonly someOf: (some: string, all: string) => string;
  readonly more: (count: string) => string;
  readonly moreAttached: (count: string) => string;
  readonly notReported: string;
  readonly notLoaded: string;
  readonly incompleteDay: string;
  /** By its first day or by all of them: `Week of 16 Nov`, `Week of 16–22 November 2026`. */
  readonly weekOf: (days: string) => string;
  readonly openDashboard: string;
  /** What the digest is of, for `incomplete`, for texts about an empty one, and for those about its CSV. */
  readonly period: { readonly the: ByPeriod; readonly that: ByPeriod; readonly campaignsOf: ByPeriod };

  readonly subject: {
    readonly corrected: (subject: string) => string;
    readonly incomplete: (subject: string) => string;
    readonly connected: (rate: string) => string;
    readonly nothingLoaded: string;
    readonly noAttempts: string;
    readonly attemptsNotReported: string;
    readonly connectsNotReported: string;
  };

  readonly tiles: { readonly connectRate: string } & {
    readonly [name in Exclude<CountName, 'connects'>]: string;
  };
  /** With a sign, one decimal: `+1.2 points`. */
  readonly points: (points: string) => string;
  readonly noChange: string;
  readonly fromZero: string;
  /** By the day's own short name and its full one. */
  readonly vsDay: (short: string, long: string) => string;
  readonly vsMonth: (month: string) => string;
  readonly vsTypical: (weekday: string) => string;
  readonly vsDays: (days: string, before: string) => string;
  readonly compared: {
    readonly vsWeek: string;
    readonly earlierDays: string;
    readonly before: ByPeriod;
    readonly sameWeekday: string;
    readonly some: (days: string, accounts: string) => string;
    readonly none: (days: string) => string;
  };

  readonly insight: {
    readonly busier: (weekday: string) => string;
    readonly quieter: (weekday: string) => string;
    readonly higherRate: (weekday: string) => string;
    readonly lowerRate: (weekday: string) => string;
    readonly mostly: (sentence: string, name: string, by: string) => string;
    readonly new: string;
  };

  readonly tables: {
    readonly columns: {
      readonly [name in 'campaign' | 'account' | 'period' | 'day']: string;
    } & {
      readonly [name in 'attempts' | 'connects' | 'connected' | 'live' | 'typical' | 'change']: string;
    };
    readonly lastDays: (count: string) => string;
    readonly twoWeeks: string;
    readonly dayByDay: string;
    readonly toDate: string;
    readonly weekToDate: string;
    readonly monthToDate: string;
    readonly accounts: string;
    readonly movers: string;
    readonly topTen: string;
    readonly mostAttempts: string;
    readonly lowestRates: string;
  };

  readonly notes: {
    readonly corrected: string;
    readonly sameSums: string;
    readonly incomplete: (the: string) => string;
    readonly allMissing: (the: string) => string;
    readonly notOver: string;
    readonly daysLacking: (days: string) => string;
    readonly correctedFollows: string;
    readonly namedInNext: string;
    readonly unreported: string;
    readonly unreportedOf: (count: string, some: string, campaigns: string) => string;
    readonly earlierDays: (days: string) => string;
  };
  readonly empty: {
    readonly noCampaigns: (that: string) => string;
    readonly noAttempts: string;
    readonly nothingLoaded: (that: string) => string;
  };

  readonly attention: {
    readonly heading: string;
    readonly pointer: (titles: string) => string;
    readonly restated: string;
    readonly sameSums: string;
    readonly now: (sums: string) => string;
    readonly held: string;
    readonly heldSince: (time: string) => string;
    readonly noCalls: string;
    readonly mayBeWrong: string;
    readonly unreported: (counts: string) => string;
    readonly notice: (text: string) => string;
    readonly counts: string;
    readonly newClients: string;
    readonly vanishedClients: string;
    readonly lowBalances: (limit: string) => string;
  };

  readonly closing: {
    readonly completeThrough: (day: string) => string;
    readonly incomplete: string;
    readonly updated: (time: string) => string;
    readonly csv: (campaignsOf: string) => string;
    readonly packedCsv: (campaignsOf: string) => string;
    readonly tooLarge: (campaignsOf: string, megabytes: string) => string;
    readonly glossary: string;
    /** Added to it of a day. */
    readonly typical: string;
  };
};
