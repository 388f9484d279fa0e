import type { CountName } from './records.ts';

/** What speaks against a response that could be read, by itself or across accounts (design, *Anomaly*). */
export type Anomaly = (
  | {
      /** Counts beside the campaigns are larger than their number. */
      readonly code: 'announced';
      readonly announced: number;
      readonly listed: number;
    }
  | {
      /** Records couldn't be read, and don't repeat rows that loaded. */
      readonly code: 'unreadable';
      readonly records: number;
      /** Records that loaded without counts that couldn't be read. */
      readonly inPart?: number;
    }
  | {
      /** An error is beside the campaigns. */
      readonly code: 'error';
      readonly text: string;
    }
  | {
      /** Most campaigns leave out counts that confirmed days of the last week mostly reported. */
      readonly code: 'unreported';
      readonly counts: readonly CountName[];
    }
  | {
      /** No calls, where the same weekday had some in each of the two weeks before. */
      readonly code: 'no_calls';
    }
  | {
      /** Another account has the same campaigns and counts on that day. It isn't named: it may be erased. */
      readonly code: 'same_campaigns';
    }
) & {
  /** A confirmed day had it, too: it is the service's way, and marks no day. */
  readonly known: boolean;
};

export type AnomalyCode = Anomaly['code'];

/** What speaks first against a response that is held: what it takes away from the confirmed day, or an anomaly. */
export type HeldCode = 'emptied' | 'halved' | 'zeroed' | AnomalyCode;

/** Those that make a day provisional. */
export const unknownAnomalies = (anomalies: readonly Anomaly[]): Anomaly[] =>
  anomalies.filter(({ known }) => !known);
