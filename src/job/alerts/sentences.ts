import type { ActiveAlert, AlertStep, CommandWords, Hit } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import { capitalize, formatCountOf, formatDays, formatList } from '../../support/english.ts';

/** Two names, or how many: the hit in a title. */
function countOrNames({ noun, names }: Hit): string {
  return names.length <= 2 ? formatList(names) : formatCountOf(names.length, noun);
}

/** The first hit names whom it concerns: `token refused (Valley)`, `Token refused: Valley, 2026-11-20`. */
export function titled(what: string, hits: readonly Hit[], more: readonly string[] = []) {
  const whom = hits.map((hit) => (hit.noun === 'day' ? formatDays(hit.names) : countOrNames(hit)));
  return {
    brief: hits.length === 0 ? what : `${what} (${countOrNames(hits[0]!)})`,
    title: [capitalize(what), [...whom, ...more].join(', ')].filter((part) => part !== '').join(': '),
    hits,
  } satisfies Partial<ActiveAlert>;
}

export const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];

/** A hit, unless there are no names. */
export const hit = (noun: string, names: readonly string[]): Hit[] =>
  names.length === 0 ? [] : [{ noun, names: unique(names) }];

export const manual = (text: string): AlertStep => ({ text, command: null });

export const typed = (text: string, ...command: CommandWords): AlertStep => ({ text, command });

/** Does the next run's work at once. */
export const runNow = (text = 'To do it now'): AlertStep => typed(text, 'run');

/** Acknowledges what can't be fixed. */
export const dismiss = (text: string, key: string): AlertStep => typed(text, 'status', '--dismiss', key);

export function resend(digest: string, day: Day, recipient: string): AlertStep {
  const of = ['--day', day, '--digest', digest, '--to', recipient];
  return typed('If the address takes mail again', 'digest', ...of, '--resend');
}
