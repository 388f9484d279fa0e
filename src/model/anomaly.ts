import type { CountName } from './records.ts';

/** Evidence against a response that could be read: in itself, or compared with other days and accounts (design, *Anomaly*). */
export type Anomaly = (
  | {
      /** Counts next to the campaigns are larger than their number. */
      readonly code: 'announced';
      readonly announced: number;
      readonly listed: number;
    }
  | {
      /** The response says that the service isn't done with the list. */
      readonly code: 'not_finished';
      readonly text: string;
    }
  | {
      /** Records couldn't be read, and don't repeat rows that loaded. */
      readonly code: 'unreadable';
      readonly records: number;
    }
  | {
      /** Campaigns loaded without counts that couldn't be read. */
      readonly code: 'unreadable_counts';
      readonly campaigns: number;
      readonly listed: number;
    }
  | {
      /** There is an error next to the campaigns. */
      readonly code: 'error';
      readonly text: string;
    }
  | {
      /** Most campaigns leave out counts that the last seven confirmed days mostly reported. */
      readonly code: 'unreported';
      readonly counts: readonly CountName[];
    }
  | {
      /** Something else stood in the place of a list, and was read as an empty one. */
      readonly code: 'no_list';
      readonly text: string;
    }
  | {
      /** No calls, where the same weekday had some in each of the two weeks before. */
      readonly code: 'no_calls';
    }
  | {
      /** Another account has the same campaigns and counts on that day. It isn't named: it may be erased. */
      readonly code: 'same_campaigns';
    }
  | {
      /** The day before, or the day after, has the same campaigns and counts. */
      readonly code: 'same_figures';
      /** A request for both days returned the figures of one: the service ignores dates. */
      readonly datesIgnored: boolean;
    }
) & {
  /** It no longer makes the day doubtful: it is the service's way, or it was explained since. */
  readonly known: boolean;
};

export type AnomalyCode = Anomaly['code'];

/** Anomalies that may be the way of a service. Records that can't be read never are: their figures are missing. */
export const knowableCodes = [
  'announced',
  'not_finished',
  'unreadable_counts',
  'error',
  'unreported',
] as const satisfies AnomalyCode[];

/** Why a response is held: a loss for the confirmed day or, without one, its first unknown anomaly. */
export type HeldCode = 'emptied' | 'halved' | 'zeroed' | AnomalyCode;

/** The anomalies that make a day provisional. */
export const unknownAnomalies = (anomalies: readonly Anomaly[]): Anomaly[] =>
  anomalies.filter(({ known }) => !known);

/** Somebody dismissed the alert about the same campaigns of all these accounts. */
export const isSharedOnPurpose = (
  names: readonly string[],
  onPurpose: readonly (readonly string[])[],
): boolean => onPurpose.some((dismissed) => names.every((name) => dismissed.includes(name)));
