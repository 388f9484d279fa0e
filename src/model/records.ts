import type { Day } from './day.ts';

/** The account that a session token identifies: statistics belong to it. */
export type Account = {
  /** Its identity in the settings and in the warehouse. */
  readonly name: string;
  /** The name that people read; by default the name itself. */
  readonly label: string;
  /** IANA zone of its days. */
  readonly timeZone: string;
  /** The listed client that this account is, from the accounts file. */
  readonly client?: { readonly account: string; readonly id: number };
};

/** A response of the service with its request, as archived: without the token. */
export type ServiceResponse = {
  readonly operation: 'getClients' | 'campaignSummary';
  readonly parameters: { readonly [name: string]: string | number | boolean };
  readonly status: number;
  /** The body as received; redacted if it repeated a token. */
  readonly body: Buffer;
  /** SHA-256 of the body: its key in the archive. */
  readonly sha256: Buffer;
  /** Time of the request, in milliseconds of this process's own clock. */
  readonly requestedAt: number;
};

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Fields that the document doesn't show, under the service's own names. */
export type Extra = { readonly [field: string]: Json };

/** One listed client. `balance` is decimal text, never a float. */
export type ClientRecord = {
  readonly clientId: number;
  readonly name: string | null;
  readonly checksum: string | null;
  readonly balance: string | null;
  readonly extra: Extra;
};

export const countNames = ['attempts', 'busies', 'connects', 'liveAnswers'] as const;
export type CountName = (typeof countNames)[number];

/** The four counts of a campaign; null if the service reported none, which isn't 0. */
export type Counts = { readonly [name in CountName]: number | null };

/** Exact sums of counts. Unreported counts add nothing; null if none was reported. */
export type Sums = { readonly [name in CountName]: bigint | null };

/** The counts that are divided by attempts. */
export const rateNames = ['connects', 'liveAnswers', 'busies'] as const;
export type RateName = (typeof rateNames)[number];

/** The parts of a rate: sums over the campaigns that report both; null if none does. */
export type RateSums = { readonly part: bigint | null; readonly attempts: bigint | null };

/** The parts of a response besides its records. */
export type SummaryEnvelope = {
  /** Records as received, invalid and repeated ones included. */
  readonly rows: number;
  /** Its numeric count fields by name; the document doesn't show what they mean. */
  readonly counts: Readonly<Record<string, number>>;
  /** Its remarks next to records, accepted ones included; each redacted, at most 200 characters. */
  readonly remarks: readonly string[];
  /** The sign of an answer without records that was read as an empty list, because somebody accepted it; else null. */
  readonly emptyBy: string | null;
};

/** One campaign's summary for the requested dates. */
export type CampaignRecord = Counts & {
  readonly callsetId: number;
  readonly campaign: string | null;
  readonly extra: Extra;
};

/** The rejects kept of one response or walk. The archived bodies have them all. */
export const maxRejects = 100;

/** An invalid record, kept as text with the reason; its neighbours load. */
export type Reject = {
  readonly payload: string;
  readonly reason: string;
  /** Its id, if that is valid. */
  readonly id: number | null;
};

/** Records in quarantine of a day, or of the client list, that couldn't be read for the same reason. */
export type QuarantinedRecords = {
  readonly operation: string;
  /** Null for clients. */
  readonly day: Day | null;
  readonly reason: string;
  readonly records: number;
  readonly firstAt: string;
  readonly latestAt: string;
  /** The beginning of one; null for those beyond the kept ones, which never come first. */
  readonly example: string | null;
};

/** The valid records of a response, and its rejects. */
export type Reading<T> = {
  readonly records: readonly T[];
  /** The first ones. */
  readonly rejects: readonly Reject[];
  /** The number of all rejects. */
  readonly rejectCount: number;
  /** The number of records that load without counts that can't be read; by default none. */
  readonly unreadableCounts?: number;
  /** Lines for the log alone: names and further fields that can't be kept, balances that can't be read. */
  readonly logged: readonly string[];
};

/** Returns whether none of the records can be read: the response isn't what the document shows. */
export function isUnreadable({ records, rejectCount }: Reading<unknown>): boolean {
  return rejectCount > 0 && records.length === 0;
}

/** The reason not to load a response; null if any record is valid. */
export function unreadableReason(reading: Reading<unknown>): string | null {
  return isUnreadable(reading) ? `no record can be read: ${reading.rejects[0]!.reason}` : null;
}
