import { toAccept, toRun } from '../../job/alerts/suggested-commands.ts';
import { commandLine } from '../../support/commands.ts';
import { formatCount, formatCountOf } from '../../support/english.ts';
import type { CoveredDay } from '../../warehouse/queries/coverage.ts';
import { formatDay } from './format.ts';

export type Flag = 'held' | 'suspicious' | 'restated' | 'settling';

/** What each state and flag means, for whoever reads the calendar. */
export const stateMeanings = {
  loaded: 'complete: the day was over when it was fetched',
  provisional: 'fetched before the day was over: the next run syncs it again',
  failed: 'attempted, and never loaded',
  missing: 'not attempted yet',
} as const satisfies Record<CoveredDay['state'], string>;

export const flagMeanings = {
  held: 'a newer response is held, for it would take most of the day away',
  suspicious: 'no calls, on a weekday that usually has some',
  restated: 'the service reported other counts after the day was finished',
  settling: 'the counts have not yet been the same on two run dates',
} as const satisfies Record<Flag, string>;

const flagNames = Object.keys(flagMeanings) as Flag[];

export const flagsOf = (day: CoveredDay): Flag[] => flagNames.filter((flag) => day[flag]);

/** The command that mends a day, without the program's name; null where there is nothing to mend. */
export function commandFor({ account, day, state, held }: CoveredDay): string | null {
  if (held) return commandLine(...toAccept(day, account));
  return state === 'loaded' ? null : commandLine(...toRun([day], account));
}

/** The day in one line: what it holds, and what mends it. */
export function describeDay(day: CoveredDay): string {
  const command = commandFor(day);
  const app = [
    day.state,
    ...flagsOf(day),
    ...(day.campaigns === null ? [] : [formatCountOf(day.campaigns, 'campaign')]),
    ...(day.attempts === null ? [] : [`${formatCount(day.attempts)} attempts`]),
  ];
  return `${formatDay(day.day)}: ${app.join(', ')}${command === null ? '' : `. callsheet ${command}`}`;
}

export const dayAddress = ({ account, day }: Pick<CoveredDay, 'account' | 'day'>): string =>
  `/days/${day}/${encodeURIComponent(account)}`;
