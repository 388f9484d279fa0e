import type { AlertStep, CommandWords } from '../../model/alert.ts';
import { addDays, type Day } from '../../model/day.ts';
import { formatDays, plural } from '../../support/english.ts';
import type { AccountState } from './state.ts';

export const manual = (text: string): AlertStep => ({ text, command: null });

export const typed = (text: string, ...command: CommandWords): AlertStep => ({ text, command });

/** Does the next run's work at once. */
export const runNow = (text = 'To do it now'): AlertStep => typed(text, 'run');

/**
 * The steps that load days: a run for those it catches up on, a backfill for each range of older ones. Days that
 * the service no longer has can be dismissed.
 *
 * @param isDue a run has other work for the account, too
 */
export function loadSteps(
  { name, firstCaughtUp }: Pick<AccountState, 'name' | 'firstCaughtUp'>,
  days: readonly Day[],
  key: string,
  isDue = false,
  runText?: string,
): AlertStep[] {
  const old = days.filter((day) => day < firstCaughtUp);
  const due = isDue || old.length < days.length ? [runNow(runText)] : [];
  if (old.length === 0) return due;
  const backfills = ranges(old).map(([from, to]) =>
    typed(
      `To load ${from === to ? from : `${from} to ${to}`}`,
      ...['backfill', '--from', from, '--to', to, '--account', name],
    ),
  );
  const gone = `If the service no longer has ${old.length === 1 ? 'that day' : 'those days'}`;
  return [...due, ...backfills, dismiss(gone, key)];
}

/** A sentence: no run syncs these days any more. Nothing if there are none. */
export function beyondCatchUp(days: readonly Day[]): string[] {
  if (days.length === 0) return [];
  return [
    `${formatDays(days)} ${plural(days.length, 'is', 'are')} beyond CATCH_UP_DAYS: no run fetches ${plural(days.length, 'it', 'them')} any more.`,
  ];
}

/** Looks at a held response first, then applies it. */
export function accepts(account: string, day: Day): AlertStep[] {
  const of = ['--day', day, '--account', account];
  return [
    typed(`To see what the response for ${day} would change`, 'run', ...of, '--dry-run'),
    typed('To apply it now', 'accept', ...of),
  ];
}

export function resend(digest: string, day: Day, recipient: string): AlertStep {
  const of = ['--day', day, '--digest', digest, '--to', recipient];
  return typed('To send it again', 'digest', ...of, '--resend');
}

/** Acknowledges what can't be fixed. */
export const dismiss = (text: string, key: string): AlertStep => typed(text, 'status', '--dismiss', key);

/** Sorted days as ranges without gaps. */
function ranges(days: readonly Day[]): [from: Day, to: Day][] {
  const found: [Day, Day][] = [];
  for (const day of days) {
    const last = found.at(-1);
    if (last !== undefined && addDays(last[1], 1) === day) last[1] = day;
    else found.push([day, day]);
  }
  return found;
}
