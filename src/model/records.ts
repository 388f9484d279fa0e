/** Whom a session token identifies: statistics belong to an account (service.md 5). */
export type Account = {
  /** Its identity in the settings and in the warehouse. */
  readonly name: string;
  /** What people read; the name where the settings give none. */
  readonly label: string;
  /** IANA zone in which its days begin and end. */
  readonly timeZone: string;
  /** Which listed client this account is, as the accounts file says. */
  readonly client?: { readonly account: string; readonly id: number };
};

/** A response of the service with its request, as it is archived: without the token. */
export type ServiceResponse = {
  readonly operation: 'getClients' | 'campaignSummary';
  readonly parameters: { readonly [name: string]: string | number | boolean };
  readonly status: number;
  /** The body as received, or redacted where it repeated a token. */
  readonly body: string;
  /** When the request was sent, in milliseconds of this process's own clock. */
  readonly requestedAt: number;
};

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Fields that the document doesn't show, under the service's own names. */
export type Extra = { readonly [field: string]: Json };

/** One listed client (service.md 2.1). `balance` is decimal text, never a float. */
export type ClientRecord = {
  readonly clientId: number;
  readonly name: string | null;
  readonly checksum: string | null;
  readonly balance: string | null;
  readonly extra: Extra;
};

export const countNames = ['attempts', 'busies', 'connects', 'liveAnswers'] as const;
export type CountName = (typeof countNames)[number];

/** The four counts of a campaign; null where the service gave none, which isn't 0. */
export type Counts = { readonly [name in CountName]: number | null };

/**
 * Sums of counts as decimal text: a double doesn't hold them, nor does bigint. What wasn't reported adds nothing; null
 * where nothing was.
 */
export type Sums = { readonly [name in CountName]: string | null };

/** The counts that are divided by attempts. */
export const rateNames = ['connects', 'liveAnswers', 'busies'] as const;
export type RateName = (typeof rateNames)[number];

/** What a rate is made of: sums over the campaigns that report both, as decimal text; null where none does. */
export type RateSums = { readonly part: string | null; readonly attempts: string | null };

/** What the envelope of a summary says beside its campaigns (service.md 2.3). */
export type SummaryEnvelope = {
  /** Campaigns as received, invalid and repeated ones included. */
  readonly rows: number;
  /** The count fields that are numbers, under their own names; their meaning isn't shown. */
  readonly counts: Readonly<Record<string, number>>;
  /** Text or an error beside the campaigns; null where there is none. */
  readonly notice: string | null;
};

/** One campaign's summary for the requested dates (service.md 2.4). */
export type CampaignRecord = Counts & {
  readonly callsetId: number;
  readonly campaign: string | null;
  readonly extra: Extra;
};

/** Rejects that are kept of one response. The response itself is archived with all of them. */
export const maxRejects = 100;

/** An invalid record of a response: kept as text, with the reason, beside neighbours that load. */
export type Reject = {
  readonly payload: string;
  readonly reason: string;
  /** Its id, where that much is valid. */
  readonly id: number | null;
};

/** The valid records of one response, the others, and remarks for the log on how they were parsed. */
export type Reading<T> = {
  readonly records: readonly T[];
  /** The first ones. */
  readonly rejects: readonly Reject[];
  /** The number of all of them. */
  readonly rejectCount: number;
  readonly remarks: readonly string[];
};

/** Whether over half of the records are invalid: then the response is probably not what it seems. */
export function mostlyUnreadable({ records, rejectCount }: Reading<unknown>): boolean {
  return rejectCount > records.length;
}

/** Why such a response isn't loaded; `records` names them. Null where most of it is valid. */
export function unreadableReason(reading: Reading<unknown>, records = 'records'): string | null {
  if (!mostlyUnreadable(reading)) return null;
  const { rejectCount } = reading;
  return `${rejectCount} of ${reading.records.length + rejectCount} ${records} can't be read`;
}
