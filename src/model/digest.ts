import type { Day } from './day.ts';
import type { Counts } from './records.ts';

/** Who is mailed what: a digest of the settings. */
export type DigestDefinition = {
  /** Its identity in the outbox, and the first word of the subject. */
  readonly name: string;
  readonly to: readonly string[];
  /** Names of its accounts; all of them where the settings don't say. */
  readonly accounts: readonly string[];
};

/** One line of the CSV: a campaign of an account on the digest's day. */
export type DigestRow = Counts & {
  readonly account: string;
  readonly clientId: number | null;
  readonly day: Day;
  readonly callsetId: number;
  readonly campaign: string | null;
};

/** Totals of one account's day; `state` is null where nothing of that day was ever loaded. */
export type AccountTotals = Counts & {
  readonly account: string;
  readonly label: string;
  readonly campaigns: number;
  readonly state: 'loaded' | 'provisional' | 'failed' | null;
};

/** All that a digest says, read from the warehouse at once. */
export type DigestFigures = {
  readonly name: string;
  readonly day: Day;
  readonly accounts: readonly AccountTotals[];
  readonly rows: readonly DigestRow[];
  /** Earlier days completed by the same run, for which no digest of their own is sent. */
  readonly earlierDays: readonly Day[];
};

/** A digest in the words of mail: what the reader gets, before MIME. */
export type DigestMessage = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly csv: string;
  readonly csvName: string;
};

/** The states of one message to one recipient. */
export type DeliveryState = 'pending' | 'sending' | 'sent' | 'written' | 'failed' | 'refused' | 'unknown';

/** How one attempt to deliver ended, and what the other side said. */
export type DeliveryOutcome = {
  readonly state: Exclude<DeliveryState, 'pending' | 'sending'>;
  readonly reply: string;
};
