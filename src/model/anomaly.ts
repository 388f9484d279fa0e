import { type Accepted, isAccepted } from './accepted.ts';
import type { CountName } from './records.ts';

/** Evidence against a response that could be read: in itself, or beside other days of the account (docs/concepts.md). */
export type Anomaly = (
  | {
      /** It says something beside its campaigns that the document doesn't show: `HTTP 206`, `partial: true`. */
      readonly code: 'remark';
      readonly sign: string;
    }
  | {
      /** A count field of its envelope says another number than it lists. */
      readonly code: 'announced';
      /** Under the service's own name. */
      readonly field: string;
      readonly announced: number;
      readonly listed: number;
    }
  | {
      /** Records couldn't be read for one reason, and don't repeat rows that loaded. */
      readonly code: 'unreadable';
      readonly reason: string;
      readonly records: number;
    }
  | {
      /** Campaigns loaded without counts that couldn't be read. */
      readonly code: 'unreadable_counts';
      readonly campaigns: number;
    }
  | {
      /** Most campaigns leave out a count that most of the last seven confirmed days reported. */
      readonly code: 'missing_counts';
      readonly count: CountName;
    }
  | {
      /** No calls, where that weekday's last two confirmed days had some. */
      readonly code: 'no_calls';
    }
  | {
      /** The day before has the same campaigns and counts. */
      readonly code: 'same_figures';
    }
  | {
      /** It has no records, and a person said that this sign means an empty list. */
      readonly code: 'empty';
      readonly sign: string;
    }
) & {
  /**
   * What says that the figures stand nevertheless; null as long as nothing does. `day`: a person accepted the day. `always`: a person
   * accepted the sign. `repetition`: a later run date returned the same. `figures`: the same run saw it beside confirmed figures
   * that were unchanged.
   */
  readonly confirmedBy: 'day' | 'always' | 'repetition' | 'figures' | null;
};

export type AnomalyCode = Anomaly['code'];

/** Why a response is held: a loss for the confirmed day or, without one, its first open anomaly. */
export type HeldCode = 'emptied' | 'halved' | 'zeroed' | 'unreported' | AnomalyCode;

/** The anomalies that make a day provisional. */
export const openAnomalies = (anomalies: readonly Anomaly[]): Anomaly[] =>
  anomalies.filter(({ confirmedBy }) => confirmedBy === null);

/** Anomalies that show only beside other days: a response by itself has none of them. */
export const isBesideOthers = ({ code }: Anomaly): boolean =>
  code === 'missing_counts' || code === 'no_calls' || code === 'same_figures';

/** The sign of an anomaly, as `accept --always` takes it: a remark itself, `announced/reports`, `missing/connects`, `no_calls`. */
export function signOf(anomaly: Anomaly): Pick<Accepted, 'kind' | 'operation' | 'sign'> {
  const operation = 'campaignSummary';
  switch (anomaly.code) {
    case 'remark':
    case 'empty':
      return { kind: anomaly.code, operation, sign: anomaly.sign };
    case 'announced':
      return { kind: 'anomaly', operation, sign: `announced/${anomaly.field}` };
    case 'unreadable':
      return { kind: 'anomaly', operation, sign: `unreadable/${anomaly.reason}` };
    case 'missing_counts':
      return { kind: 'anomaly', operation, sign: `missing/${anomaly.count.toLowerCase()}` };
    default:
      return { kind: 'anomaly', operation, sign: anomaly.code };
  }
}

/** Returns whether both have the same sign. */
export const isSameSign = (one: Anomaly, other: Anomaly): boolean =>
  one.code === other.code && signOf(one).sign === signOf(other).sign;

/** Returns whether a person accepted the anomaly for an account. */
export type IsAccepted = (anomaly: Anomaly) => boolean;

export const acceptedFor =
  (accepted: readonly Accepted[], account: string): IsAccepted =>
  (anomaly) =>
    isAccepted(accepted, { ...signOf(anomaly), account });
