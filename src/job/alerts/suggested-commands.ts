import type { Day } from '../../model/day.ts';
import { commandLine } from '../../support/commands.ts';
import { formatDays } from '../../support/english.ts';
import type { AccountStatus } from '../../warehouse/queries/status.ts';
import { walkAlerts } from './walk-alerts.ts';

/** The words of a command without the program's name: for `commandLine` or `npmCommand`. */
type CommandWords = readonly string[];

/** Loads these days, oldest first, due or not; without days, what is due; without a name, of every account. */
export function toRun(days: readonly Day[], account?: string): CommandWords {
  const [first, last] = [days[0], days.at(-1)];
  return words('run', first === last ? { day: first, account } : { from: first, to: last, account });
}

/** Applies the held response of a day; without a name, of every account. */
export const toAccept = (day: Day, account?: string): CommandWords => words('accept', { day, account });

/** Sends what was not sent of a digest. */
export const toSend = (digest: string, day: Day): CommandWords => words('digest', { day, digest });

/** Sends a digest again; without a recipient, to all of them. */
export const toResend = (digest: string, day: Day, to?: string): CommandWords => [
  ...words('digest', { day, digest, to }),
  '--resend',
];

function words(command: string, options: Readonly<Record<string, string | undefined>>): string[] {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return [command, ...given.flatMap(([name, value]) => [`--${name}`, value!])];
}

/** What an operator should know about an account, and the command that helps, if there is one. */
export type Suggestion = { readonly message: string; readonly command: string | null };

/** What to do about an account. Commands are without the program's name. */
export function suggestionsFor({ account, gaps, held, suspicious, walk }: AccountStatus): Suggestion[] {
  const found: Suggestion[] = held.map((day) => ({
    message: `${account}: a response for ${day} is held back. To apply it`,
    command: commandLine(...toAccept(day, account)),
  }));
  if (gaps.length > 0) {
    found.unshift({
      message: `${account}: not loaded: ${formatDays(gaps)}. The next run heals what is within CATCH_UP_DAYS; or now`,
      command: commandLine(...toRun(gaps, account)),
    });
  }
  for (const { what, cause, words } of walkAlerts(account, walk)) {
    found.push({ message: `${what}. ${cause}`, command: commandLine(...words) });
  }
  if (suspicious.length > 0) {
    const message = `${account}: no calls on days that usually have some: ${formatDays(suspicious)}`;
    found.push({ message, command: null });
  }
  return found;
}
