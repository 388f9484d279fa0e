import { needsAction } from '../../model/alert.ts';
import { formatList } from '../../support/english.ts';
import { asSentence, formatDay } from './elements.ts';
import type { Overview } from './overview.ts';

/** The state of everything, in one sentence. */
export type StatusLine = { readonly tone: 'good' | 'attention' | 'bad'; readonly sentence: string };

export function statusLine(overview: Pick<Overview, 'alerts' | 'accounts'>): StatusLine {
  const active = overview.alerts.filter(needsAction);
  const [first, second, ...others] = active;
  if (first === undefined) return { tone: 'good', sentence: `All good: ${describeLoaded(overview)}.` };
  const shown = [first.title, ...(second === undefined ? [] : [second.title])];
  const more = others.length === 0 ? [] : [`${others.length} more`];
  return {
    tone: first.severity === 'error' ? 'bad' : 'attention',
    sentence: asSentence(formatList([...shown, ...more])),
  };
}

function describeLoaded({ accounts }: Pick<Overview, 'accounts'>): string {
  const [first] = accounts.flatMap(({ completeThrough }) => completeThrough ?? []).sort();
  return first === undefined ? 'nothing is late' : `every day is loaded through ${formatDay(first)}`;
}
