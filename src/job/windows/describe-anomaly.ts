import { type Anomaly, unknownAnomalies } from '../../model/anomaly.ts';
import type { CountName } from '../../model/records.ts';
import { formatCountOf, formatList } from '../../support/english.ts';

export const countWords = {
  attempts: 'attempts',
  busies: 'busies',
  connects: 'connects',
  liveAnswers: 'live answers',
} as const satisfies Record<CountName, string>;

/** `the service announced 9 campaigns and listed 4` */
export function describeAnomaly(anomaly: Anomaly): string {
  switch (anomaly.code) {
    case 'announced':
      return `the service announced ${formatCountOf(anomaly.announced, 'campaign')} and listed ${anomaly.listed}`;
    case 'not_finished':
      return `the service was not finished with the list: ${anomaly.text}`;
    case 'unreadable':
      return `${formatCountOf(anomaly.records, 'record')} could not be read`;
    case 'unreadable_counts':
      return `counts of ${formatCountOf(anomaly.campaigns, 'campaign')} could not be read`;
    case 'error':
      return `the service sent an error with the campaigns: ${anomaly.text}`;
    case 'unreported':
      return `most campaigns came without their ${formatList(anomaly.counts.map((name) => countWords[name]))}`;
    case 'no_list':
      return `the service sent no list (${anomaly.text})`;
    case 'no_calls':
      return 'no calls, on a weekday that usually has some';
    case 'same_campaigns':
      return 'the same campaigns and counts as another account, so probably counted more than once';
    case 'same_figures':
      return 'the same campaigns and counts as the day before or after';
  }
}

/** Why a day is provisional. */
export const provisionalReason = (isOver: boolean, anomalies: readonly Anomaly[]): string =>
  isOver ? (describeAnomalies(unknownAnomalies(anomalies)) ?? 'not confirmed yet') : 'the day was not over';

/** Several in one line; null for none. */
export function describeAnomalies(anomalies: readonly Anomaly[]): string | null {
  return anomalies.length === 0 ? null : anomalies.map(describeAnomaly).join('; ');
}
