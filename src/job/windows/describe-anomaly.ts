import { type Anomaly, openAnomalies } from '../../model/anomaly.ts';
import { countWords, formatCount, formatCountOf } from '../../support/english.ts';

/** `the service says "campaigns: 9" and lists 4` */
export function describeAnomaly(anomaly: Anomaly): string {
  switch (anomaly.code) {
    case 'remark':
      return `the service says "${anomaly.sign}" beside its campaigns`;
    case 'empty':
      return `the service sent no list, but "${anomaly.sign}"`;
    case 'announced':
      return `the service says "${anomaly.field}: ${anomaly.announced}" and lists ${formatCount(anomaly.listed)}`;
    case 'unreadable':
      return `${formatCountOf(anomaly.records, 'record')} could not be read (${anomaly.reason})`;
    case 'unreadable_counts':
      return `counts of ${formatCountOf(anomaly.campaigns, 'campaign')} could not be read`;
    case 'missing_counts':
      return `most campaigns came without their ${countWords[anomaly.count]}`;
    case 'no_calls':
      return 'no calls, on a weekday that usually has some';
    case 'same_figures':
      return 'the same campaigns and counts as the day beside it';
  }
}

/** Why a day is provisional; null if it is confirmed. */
export function provisionalReason(isOver: boolean, anomalies: readonly Anomaly[]): string | null {
  return isOver ? describeAnomalies(openAnomalies(anomalies)) : 'the day was not over';
}

/** Several in one line; null for none. */
export function describeAnomalies(anomalies: readonly Anomaly[]): string | null {
  return anomalies.length === 0 ? null : anomalies.map(describeAnomaly).join('; ');
}
