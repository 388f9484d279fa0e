import type { AlertStep, CommandWords } from '../../model/alert.ts';
import { addDays, type Day } from '../../model/day.ts';

export const manual = (text: string): AlertStep => ({ text, command: null });

export const typed = (text: string, ...command: CommandWords): AlertStep => ({ text, command });

/** Loads days that are due, the next run's work, at once. */
export const runNow = (text = 'To do it now'): AlertStep => typed(text, 'run');

/** Loads days not loaded yet that no run catches up on any more: a command for each range of them. */
export function backfills(account: string, days: readonly Day[]): AlertStep[] {
  return ranges(days).map(([from, to], index) =>
    typed(index === 0 ? 'To load them' : 'and', 'backfill', '--from', from, '--to', to, '--account', account),
  );
}

/** Looks at a held response first, then applies it. */
export function accepts(account: string, day: Day): AlertStep[] {
  const of = ['--day', day, '--account', account];
  return [
    typed('To see what it would change', 'run', ...of, '--dry-run'),
    typed('To apply it now', 'accept', ...of),
  ];
}

export function resend(digest: string, day: Day, recipient: string): AlertStep {
  const of = ['--day', day, '--digest', digest, '--to', recipient];
  return typed('To send it again', 'digest', ...of, '--resend');
}

/** Acknowledges what can't be mended. */
export const dismiss = (text: string, key: string): AlertStep => typed(text, 'status', '--dismiss', key);

/** Days in order as ranges without a gap. */
function ranges(days: readonly Day[]): [from: Day, to: Day][] {
  const found: [Day, Day][] = [];
  for (const day of days) {
    const last = found.at(-1);
    if (last !== undefined && addDays(last[1], 1) === day) last[1] = day;
    else found.push([day, day]);
  }
  return found;
}
