import { type Counts, countNames } from '../../model/records.ts';
import type { Format } from '../format.ts';

const words = {
  attempts: 'attempts',
  busies: 'busies',
  connects: 'connects',
  liveAnswers: 'live answers',
} as const;

/** `attempts 12,480 → 12,510, connects 7,613 → 7,620`; empty where the sums are the same. */
export function countChanges(from: Counts, to: Counts, format: Format): string {
  return countNames
    .filter((name) => from[name] !== to[name])
    .map((name) => `${words[name]} ${format.count(from[name])} → ${format.count(to[name])}`)
    .join(', ');
}
